// `are judge TRACE`: judges the run that a trace holds against the oracle of the scenario in it, all turns at once.
import { IMPORTABLE_CLASSES } from '../../environments/are/apps/registry.ts';
import { makeScenario } from '../../environments/are/scenario/import.ts';
import { completedOf } from '../../environments/are/scenario/trace.ts';
import { differencesOf, verdictText } from '../../environments/are/verifier/explain.ts';
import { playOracle } from '../../environments/are/verifier/oracle-run.ts';
import { Verifier } from '../../environments/are/verifier/verifier.ts';
import { FormatError } from '../../lib/errors.ts';
import { parseArgs } from '../args.ts';
import { type Command, EXIT } from '../command.ts';
import { readTrace } from './files.node.ts';
import { JUDGE_FLAGS, judgeOptions } from './flags.ts';

const usage = {
  name: 'are judge',
  summary: 'Judges the run that a trace holds, offline: every turn, without playing it again.',
  positional: ['TRACE'],
  flags: JUDGE_FLAGS,
  notes:
    'Exit code 1 when the run fails its scenario. What calls returned is text in a trace, and is compared as such.',
} as const;

export const areJudge: Command = {
  usage,
  async run(argv, { out }) {
    const { flags, positional } = parseArgs(usage, argv);
    const trace = await readTrace(positional[0] as string);
    if (trace.completed_events.length === 0) {
      throw new FormatError(`${positional[0]} holds no run.`, 'Name a trace: `are run FILE --trace OUT` writes one.');
    }
    const scenario = makeScenario(trace, IMPORTABLE_CLASSES);
    const log = completedOf(trace, scenario.apps);
    const { engine, config } = judgeOptions(flags);
    const verifier = new Verifier(playOracle(scenario), engine, config);
    const verdict = verifier.judgeAll(log);
    if (flags.json) {
      const { success, rationale, exception, failure } = verdict;
      const matches = Object.fromEntries(verifier.matches);
      out(
        JSON.stringify(
          { scenario: scenario.id, success, rationale, exception, differences: differencesOf(failure), matches },
          null,
          2,
        ),
      );
    } else out(verdictText(verdict));
    return verdict.success ? EXIT.ok : EXIT.failed;
  },
};
