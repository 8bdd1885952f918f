// `are judge TRACE`: judges the run that a trace holds against the oracle of the scenario in it, all turns at once.

import { completedOf } from '@projected-grpo-lab/are/agents/trace.ts';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { settled } from '@projected-grpo-lab/are/pending.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import { differencesOf, verdictText } from '@projected-grpo-lab/are/verifier/explain.ts';
import { acts, playOracle } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import { Verifier } from '@projected-grpo-lab/are/verifier/verifier.ts';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { oneOf, text } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { APPS_FLAGS, FetchedApps } from './fetched-apps.ts';
import { configOf, JUDGE_FLAGS, openJudge, openJudgeModel } from './flags.ts';
import { readTrace } from './scenario-set.node.ts';

const usage = {
  name: 'are judge',
  summary: 'Judges the run that a trace holds, offline: every turn, without playing it again.',
  positional: ['TRACE'],
  flags: {
    judge: oneOf(
      ['verifier', 'in-context'],
      'The verifier; or the baseline that it is measured against, a model that is shown both sides’ calls.',
      'verifier',
    ),
    against: text(
      'FILE',
      'The whole scenario, where the trace was played without its oracle: the run is judged by the oracle of this file.',
      null,
    ),
    ...APPS_FLAGS,
    ...JUDGE_FLAGS,
    ...deviceFlags('What a judge of a folder is computed on.'),
  },
  notes:
    'Exit code 1 when the run fails its scenario. What calls returned is text in a trace, and is compared as such.',
} as const;

export const areJudge = command(usage, async ({ flags, positional }, context) => {
  const { out } = context;
  const read = await readTrace(positional[0] as string);
  if (read.completed_events.length === 0) {
    throw new FormatError(`${positional[0]} holds no run.`, 'Name a trace: `are run FILE --trace OUT` writes one.');
  }
  const apps = new FetchedApps(flags['fetch-apps'], context);
  const trace = await apps.of(read);
  const whole = flags.against === null ? trace : await apps.of(await readTrace(flags.against));
  const id = trace.metadata.definition.scenario_id;
  if (whole.metadata.definition.scenario_id !== id)
    throw new SpecError(
      `${flags.against} is the scenario ${whole.metadata.definition.scenario_id}, and the run is of ${id}.`,
      'Name the file of the same scenario.',
    );
  const scenario = makeScenario(whole, IMPORTABLE_CLASSES);
  const log = completedOf(trace, scenario.apps);
  const oracle = playOracle(scenario);
  if (flags.judge === 'in-context' && acts(oracle)) {
    const { judgeInContext } = await import('@projected-grpo-lab/are/verifier/in-context.ts');
    const opened = await openJudgeModel(flags, context);
    const verdict = await judgeInContext(opened.seeded(0), oracle, log, configOf(flags)).finally(() => opened.free());
    const { success, turn, turns, rationale, isClear } = verdict;
    if (flags.json) out(JSON.stringify({ scenario: scenario.id, ...verdict }, null, 2));
    else
      out(
        `${success ? 'Accepted' : 'Rejected'} by the model, turn ${turn + 1} of ${turns}${isClear ? '' : ' (it gave no verdict)'}:\n${rationale}`,
      );
    return success ? EXIT.ok : EXIT.failed;
  }
  const judge = await openJudge(flags, context);
  const verifier = new Verifier(oracle, judge.engine, judge.config);
  const verdict = await settled(() => verifier.judgeAll(log)).finally(() => judge.free());
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
});
