// `are …`: agents in a living environment (docs/reference/are.md). A group: each of its commands is loaded when it is named.
import { group } from '../command.ts';

export const are = group(
  {
    name: 'are',
    summary: 'Scenarios of agent environments: played, judged, compared with the reference.',
    positional: ['COMMAND', '[FILE]'],
  },
  {
    run: [
      'FILE|SPLIT',
      'plays scenarios with an agent and judges them',
      async () => (await import('@projected-grpo-lab/are/cli/run.ts')).areRun,
    ],
    oracle: [
      'FILE',
      'plays a scenario’s own oracle',
      async () => (await import('@projected-grpo-lab/are/cli/oracle.ts')).areOracle,
    ],
    judge: [
      'TRACE',
      'judges the run that a trace holds',
      async () => (await import('@projected-grpo-lab/are/cli/judge.ts')).areJudge,
    ],
    generate: [
      '',
      'writes scenarios over small universes',
      async () => (await import('@projected-grpo-lab/are/cli/generate.ts')).areGenerate,
    ],
    bench: [
      '',
      'runs agents on generated scenarios, as a table by split',
      async () => (await import('@projected-grpo-lab/are/cli/bench.ts')).areBench,
    ],
    composed: [
      '',
      'asks a model composed forms, and says what it passes by split',
      async () => (await import('./composed.ts')).areComposed,
    ],
    pairs: [
      '',
      'how often a judge of texts errs',
      async () => (await import('@projected-grpo-lab/are/cli/pairs.ts')).arePairs,
    ],
    serve: [
      'FILE|SPLIT',
      'lets any agent framework play a scenario (an MCP server on stdio)',
      async () => (await import('@projected-grpo-lab/are/cli/serve.ts')).areServe,
    ],
    parity: [
      'DIR',
      'compares the port with a folder of recorded runs of the reference',
      async () => (await import('@projected-grpo-lab/are/cli/parity.ts')).areParity,
    ],
  },
);
