import { subjects } from './list.ts'
import type { Mutant } from './mutant.ts'
import type { Trial } from './trial.ts'

/** What came of a mutant. */
export type Outcome = { mutant: Mutant; trial: Trial }

const intro = `# Mutants

A test is worth something if it turns red when the rule that it holds is broken. \`npm run mutants\` breaks the rules below, one at a
time, by a patch of one function in a copy of the checkout, and runs the test files that should notice it. Here is what each
mutant does, and the first test that noticed it. If one survives, a test is missing, and the command fails. The list stands in
[test/mutants](../test/mutants/list.ts); \`npm run mutants -- money\` tries one subject, \`npm run mutants -- --save\` writes this page.
`

/** The page of the documentation that shows which test notices which fault. */
export function renderPage(outcomes: Outcome[]): string {
  const tables = Object.entries(subjects).map(([subject, mutants]) => {
    const rows = outcomes
      .filter(({ mutant }) => mutants.includes(mutant))
      .map(({ mutant, trial }) => {
        const by =
          trial.kind === 'red'
            ? `[${trial.file.replace('test/', '')}](../${trial.file}): ${trial.test}`
            : trial.kind
        return `| ${[mutant.name, mutant.breaks, by].map(escaped).join(' | ')} |`
      })
    return [`## ${subject}`, '', '| mutant | the rule | noticed by |', '|---|---|---|', ...rows, ''].join(
      '\n',
    )
  })
  return [intro, ...tables].join('\n')
}

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
