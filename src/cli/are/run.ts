// `are run FILE`: a scenario, played by an agent without a model and judged.
import { writeFile } from 'node:fs/promises';
import { playScripted, SCRIPTED_AGENTS } from '../../environments/are/agents/play.ts';
import type { GenerationTime } from '../../environments/are/agents/types.ts';
import { IMPORTABLE_CLASSES } from '../../environments/are/apps/registry.ts';
import { stamp } from '../../environments/are/clock.ts';
import { VERBOSITIES } from '../../environments/are/notifications/notified.ts';
import { pythonText } from '../../environments/are/python-text.ts';
import { traceText } from '../../environments/are/scenario/export.ts';
import { traceOfRun } from '../../environments/are/scenario/trace.ts';
import { differencesOf, verdictText } from '../../environments/are/verifier/explain.ts';
import { integer, number, oneOf, parseArgs, text } from '../args.ts';
import { type Command, EXIT } from '../command.ts';
import { readTrace } from './files.node.ts';
import { JUDGE_FLAGS, judgeOptions } from './flags.ts';

const usage = {
  name: 'are run',
  summary: 'Plays a scenario with a scripted agent and judges what it did, turn by turn.',
  positional: ['FILE'],
  flags: {
    agent: oneOf(
      SCRIPTED_AGENTS,
      'Who acts: what the oracle does, the same with one mistake, at random, nothing.',
      'oracle',
    ),
    seed: integer('Of the random agent and the mistake.', 0),
    notifications: oneOf(VERBOSITIES, 'How much the agent is told of.', 'MEDIUM'),
    generation: oneOf(['fixed', 'instant'], 'What an agent’s thinking takes on the simulated clock.', 'fixed'),
    seconds: number('Simulated seconds of an action, with --generation fixed.', 1, 0, 3600),
    'max-steps': integer('Actions of the agent in all.', 80, 1, 10_000),
    trace: text('FILE', 'Writes the run as a trace that `are judge` and the page read.', null),
    ...JUDGE_FLAGS,
  },
  notes: 'Exit code 1 when the run fails its scenario.',
} as const;

export const areRun: Command = {
  usage,
  async run(argv, { out, progress, signal }) {
    const { flags, positional } = parseArgs(usage, argv);
    const trace = await readTrace(positional[0] as string);
    const generation: GenerationTime =
      flags.generation === 'fixed' ? { mode: 'fixed', seconds: flags.seconds } : { mode: 'instant' };
    const played = await playScripted(trace, flags.agent, {
      classes: IMPORTABLE_CLASSES,
      seed: flags.seed,
      verbosity: flags.notifications,
      maxSteps: flags['max-steps'],
      generation,
      signal,
      ...judgeOptions(flags),
    });
    const { scenario, environment, verifier, verdict, run, mistake } = played;
    for (const skipped of scenario.skipped) progress.note(`Left out: ${skipped}`);
    if (flags.trace !== null) {
      const kept = traceOfRun(trace, { agent: flags.agent, run, log: environment.log.list(), verdict });
      await writeFile(flags.trace, traceText(kept));
    }
    const summary = {
      scenario: scenario.id,
      agent: flags.agent,
      success: verdict.success,
      rationale: verdict.rationale,
      differences: differencesOf(verdict.failure),
      exception: verdict.exception,
      mistake,
      end: run.end,
      turns: run.turns,
      of: verifier.turnCount,
      steps: run.steps.length,
      seconds: environment.clock.passed(),
      matches: Object.fromEntries(verifier.matches),
      notes: environment.notes,
    };
    if (flags.json) out(JSON.stringify(summary, null, 2));
    else {
      for (const { time, app, tool, outcome } of run.steps) {
        const result =
          'value' in outcome ? pythonText(outcome.value) : `${outcome.error.kind}: ${outcome.error.message}`;
        out(`${stamp(time)}  ${app}__${tool}  ${result.replaceAll('\n', ' ').slice(0, 100)}`);
      }
      if (mistake !== null) out(`The mistake: ${mistake}.`);
      out(
        `${scenario.id}: ${run.turns} of ${verifier.turnCount} turns, ${run.steps.length} actions, ${summary.seconds} simulated seconds; ${run.end}.`,
      );
      out(verdictText(verdict));
    }
    return verdict.success ? EXIT.ok : EXIT.failed;
  },
};
