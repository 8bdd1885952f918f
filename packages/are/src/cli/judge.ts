// `are judge TRACE`: judges a trace's run against the oracle of its scenario, all turns at once.

import { oneOf, text } from '@projected-grpo-lab/base/commands/args.ts';
import { command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { completedOf } from '../agents/trace.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { settled } from '../pending.ts';
import { makeScenario } from '../scenario/import.ts';
import { differencesOf, verdictText } from '../verifier/explain.ts';
import { acts, playOracle } from '../verifier/oracle-run.ts';
import { Verifier } from '../verifier/verifier.ts';
import { configOf, judgeFlags, openJudge, openJudgeModel } from './flags.ts';
import type { Host } from './host.ts';
import { loader } from './loaded.ts';
import { readTrace } from './scenario-set.node.ts';

const usageFor = (host: Host) => ({
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
    ...host.apps.flags,
    ...judgeFlags(host),
    ...host.models.device('What a judge of a folder is computed on.'),
  },
  notes:
    'Exit code 1 when the run fails its scenario. What calls returned is text in a trace, and is compared as such.',
});

export const areJudge = (host: Host) =>
  command(host.program, usageFor(host), async ({ flags, positional }, context) => {
    const { out } = context;
    const read = await readTrace(positional[0] as string);
    if (read.completed_events.length === 0) {
      throw new FormatError(`${positional[0]} holds no run.`, 'Name a trace: `are run FILE --trace OUT` writes one.');
    }
    const loaded = loader(host, flags, context);
    const trace = await loaded(read);
    const whole = flags.against === null ? trace : await loaded(await readTrace(flags.against));
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
      const { judgeInContext } = await import('../verifier/in-context.ts');
      const opened = await openJudgeModel(host, flags, context);
      const verdict = await judgeInContext(opened.seeded(0), oracle, log, configOf(flags)).finally(() => opened.free());
      const { success, turn, turns, rationale, isClear } = verdict;
      if (flags.json) out(JSON.stringify({ scenario: scenario.id, ...verdict }, null, 2));
      else
        out(
          `${success ? 'Accepted' : 'Rejected'} by the model, turn ${turn + 1} of ${turns}${isClear ? '' : ' (it gave no verdict)'}:\n${rationale}`,
        );
      return success ? EXIT.ok : EXIT.failed;
    }
    const judge = await openJudge(host, flags, context);
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
