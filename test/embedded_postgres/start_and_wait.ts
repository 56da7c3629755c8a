import { startPostgres } from '../../src/embedded_postgres/start.ts'

// node start_and_wait.ts <folder> <durable>: prints the URL and waits; SIGTERM stops the server.
const [dataDir = '', durable] = process.argv.slice(2)
const server = await startPostgres({ dataDir, durable: durable === 'true' })
const waiting = setInterval(() => {}, 60_000)
process.once('SIGTERM', async () => {
  await server.stop()
  clearInterval(waiting)
})
console.log(server.url)
