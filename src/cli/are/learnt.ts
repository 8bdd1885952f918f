// `are learnt FILE…`: what trained agents' runs say of the questions in docs/are.md, from their published records alone.
import { type AgentVerdict, agentVerdicts } from '../../experiments/acting/verdicts.ts';
import { mean, sd } from '../../stats/index.ts';
import { parseArgs, toggle } from '../args.ts';
import { type Command, EXIT } from '../command.ts';
import { readRuns } from '../improve/row-files.ts';

const usage = {
  name: 'are learnt',
  summary: 'Prints what runs of the world agents say of G1 and A1, from their records alone.',
  positional: ['FILE', '[FILE2]'],
  flags: { json: toggle('Print JSON.') },
  notes: 'A file is what `run --json` writes, or one of public/results/agents; .gz is read too.',
} as const;

export const areLearnt: Command = {
  usage,
  async run(argv, { out }) {
    const { flags, positional } = parseArgs(usage, argv);
    const runs = (await Promise.all(positional.map(readRuns))).flat();
    const verdicts = agentVerdicts(runs);
    if (flags.json) out(JSON.stringify(verdicts, null, 2));
    else for (const verdict of verdicts) for (const line of linesOf(verdict)) out(line);
    return EXIT.ok;
  },
};

export const three = (value: number): string =>
  value
    .toFixed(3)
    .replace(/^(-?)0\./, '$1.')
    .replace('-', '−');

/** `.652 .598; mean .625 ± .038`, and the interval where there is one. */
export function saidFigure({ figures, paired }: AgentVerdict, name: string): string {
  const values = figures[name] ?? [];
  const spread = sd(values);
  const own = paired[name];
  const interval = own ? ` [${three(own.interval.low)} ${three(own.interval.high)}]` : '';
  const centre = `${three(mean(values) ?? 0)}${spread === null ? '' : ` ± ${three(spread)}`}`;
  return `${values.map(three).join(' ')}; mean ${centre}${interval}`;
}

function linesOf(verdict: AgentVerdict): string[] {
  const { id, verdict: said, seeds, figures } = verdict;
  const known = Object.keys(figures).filter((name) => figures[name]?.every((value) => !Number.isNaN(value)));
  return [
    `${id}: ${said}; seeds ${seeds.join(' ')}`,
    ...known.map((name) => `  ${name}: ${saidFigure(verdict, name)}`),
  ];
}
