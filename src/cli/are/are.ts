// `are …`: agents in a living environment (docs/reference/are.md). A group: each of its commands is loaded when it is named.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Command } from '../command.ts';

export const are: Command = {
  usage: {
    name: 'are',
    summary: 'Scenarios of agent environments: played, judged, compared with the reference.',
    positional: ['COMMAND', '[FILE]'],
    flags: {},
    notes: [
      'Commands:',
      '  run FILE|SPLIT  plays scenarios with an agent and judges them',
      '  oracle FILE  plays a scenario’s own oracle',
      '  judge TRACE  judges the run that a trace holds',
      '  generate     writes scenarios over small universes',
      '  bench        runs agents on generated scenarios, as a table by split',
      '  composed     asks a model composed forms, and says what it passes by split',
      '  learnt FILE  what trained agents’ runs say of the questions in docs/lab-book/agents.md',
      '  pairs        how often a judge of texts errs',
      '  serve FILE|SPLIT  lets any agent framework play a scenario (an MCP server on stdio)',
      '  parity DIR   compares the port with a folder of recorded runs of the reference',
      '',
      'npm run lab -- are COMMAND --help says more.',
    ].join('\n'),
  },
  parts: {
    run: async () => (await import('./run.ts')).areRun,
    oracle: async () => (await import('./oracle.ts')).areOracle,
    judge: async () => (await import('./judge.ts')).areJudge,
    generate: async () => (await import('./generate.ts')).areGenerate,
    bench: async () => (await import('./bench.ts')).areBench,
    composed: async () => (await import('./composed.ts')).areComposed,
    learnt: async () => (await import('./learnt.ts')).areLearnt,
    pairs: async () => (await import('./judges/pairs.ts')).arePairs,
    serve: async () => (await import('./mcp/serve.ts')).areServe,
    parity: async () => (await import('./parity.ts')).areParity,
  },
  run() {
    throw new SpecError(
      '`are` needs a command: run, oracle, judge, generate, bench, composed, learnt, pairs, serve or parity.',
      'See: npm run lab -- are --help',
    );
  },
};
