import { hostname } from 'node:os'

/** How operators find this process, as `worker 4711 at host`. */
export const processName = (command: 'api' | 'worker') => `${command} ${process.pid} at ${hostname()}`
