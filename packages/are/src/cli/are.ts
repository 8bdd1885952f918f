// `are …`: agents in a simulated environment (docs/reference/are.md). Each command is loaded when it is named.
import type { Part } from '@projected-grpo-lab/base/commands/command.ts';
import type { Host } from './host.ts';

export const ABOUT = {
  name: 'are',
  summary: 'Scenarios of agent environments: played, judged, compared with the reference.',
  positional: ['COMMAND', '[FILE]'],
} as const;

export const partsFor = (host: Host) =>
  ({
    run: [
      'FILE|SPLIT',
      'plays scenarios with an agent and judges them',
      async () => (await import('./run.ts')).areRun(host),
    ],
    oracle: ['FILE', 'plays a scenario’s own oracle', async () => (await import('./oracle.ts')).areOracle(host)],
    judge: ['TRACE', 'judges the run that a trace holds', async () => (await import('./judge.ts')).areJudge(host)],
    generate: [
      '',
      'writes scenarios over small universes',
      async () => (await import('./generate.ts')).areGenerate(host),
    ],
    export: [
      'FILE',
      'writes one scenario of a set as a file of its own',
      async () => (await import('./export.ts')).areExport(host),
    ],
    bench: [
      '',
      'runs agents on generated scenarios, as a table by split',
      async () => (await import('./bench.ts')).areBench(host),
    ],
    pairs: ['', 'how often a judge of texts errs', async () => (await import('./pairs.ts')).arePairs(host)],
    serve: [
      'FILE|SPLIT',
      'lets any agent framework play a scenario (an MCP server on stdio)',
      async () => (await import('./serve.ts')).areServe(host),
    ],
    parity: [
      'DIR',
      'compares the port with a folder of recorded runs of the reference',
      async () => (await import('./parity.ts')).areParity(host),
    ],
  }) as const satisfies Readonly<Record<string, Part>>;
