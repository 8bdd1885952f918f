// `are run FILE|SPLIT`: an agent plays scenarios from a file or the generator, and is judged.

import { integer, oneOf, text, toggle, type Values } from '@projected-grpo-lab/base/commands/args.ts';
import { type CommandContext, command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { type ToolWords, toolWordsOf } from '../augment/tool-names.ts';
import { stamp } from '../clock.ts';
import { generateScenario, PARTS } from '../generate/generate.ts';
import { SPLITS } from '../generate/template.ts';
import { VERBOSITIES } from '../notifications/notified.ts';
import { pythonText } from '../python-text.ts';
import type { Trace } from '../scenario/schema.ts';
import { counted, differencesOf, outcomeOf, verdictText } from '../verifier/explain.ts';
import { FLAGS_WITHOUT_EFFECT, judgeFlags, openJudge, runIdentity } from './flags.ts';
import type { Host, OwnFlags } from './host.ts';
import { CONCURRENCY_FLAG, checkConcurrency, inParallel } from './in-parallel.ts';
import { keptRun } from './kept-answers.ts';
import { loader } from './loaded.ts';
import { hasServer, MCP_FLAGS, withServer } from './mcp/named.ts';
import { GENERATION_FLAGS, generationOf, modelFlags } from './model-flags.ts';
import { openAgent } from './open-model.ts';
import type { AgentName, OpenedAgent } from './opened.ts';
import { agentOf, agentsOf, type PlayedBy, playAs, tracedRun } from './players.ts';
import { readTrace } from './scenario-set.node.ts';
import { openUser, userFlags } from './user.ts';

const usageFor = (host: Host) => ({
  name: 'are run',
  summary: 'Plays a scenario with an agent and judges what it did, turn by turn.',
  positional: ['FILE|SPLIT'],
  flags: {
    agent: oneOf(
      agentsOf(host),
      `Who acts: what the oracle does, the same with one mistake, at random, nothing; or a model, in JSON (react)${host.models.agents.includes('language') ? ' or in the compact language (language)' : ''}. The oracle where no model is named; react where an endpoint is.`,
      null,
    ),
    seed: integer('Of the agent: its mistake, its chance, its sampling; of generated scenarios too.', 0),
    scenario: text(
      'ID',
      'Of a file or folder with several scenarios (rows as Hugging Face has them too): which.',
      null,
    ),
    n: integer('Of a split: how many of its scenarios.', 1, 1, 10_000),
    ...CONCURRENCY_FLAG,
    part: oneOf(PARTS, 'Of a split: templates and words that training may see, or held-out ones.', 'training'),
    notifications: oneOf(VERBOSITIES, 'How much the agent is told of.', 'MEDIUM'),
    ...GENERATION_FLAGS,
    'max-steps': integer('Actions of the agent in all.', 80, 1, 10_000),
    'other-names': toggle(
      'Shows an agent with a model the tools under the other names and descriptions that the file has (augmentation).',
    ),
    ...host.apps.flags,
    ...MCP_FLAGS,
    trace: text(
      'FILE',
      'Writes the run of one scenario as a trace that `are judge` and the page read. A model’s answers are kept beside it as they come, and the same command goes on from them.',
      null,
    ),
    ...modelFlags(host),
    ...userFlags(host),
    ...judgeFlags(host),
  },
  notes: [
    `A split is ${SPLITS.join(', ')}: its scenarios are generated, always the same for the same seed.`,
    'Exit code 1 when a run fails its scenario. A run with --mcp or --user is not gone on with: tools would be called, and you asked, twice.',
    'With --user the run goes on while the user answers. A turn ends with each message to the user, answered or not, as in the reference: a judge counts a question as the end of one.',
  ].join('\n'),
});
type Options = Values<ReturnType<typeof usageFor>['flags']> & OwnFlags;

export const areRun = (host: Host) =>
  command(host.program, usageFor(host), async ({ flags: given, positional }, context) => {
    const { out, progress } = context;
    const flags = { ...given, agent: agentOf(host, given.agent, given) };
    checkConcurrency(flags);
    const stop = new AbortController();
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const own = { ...context, signal };
    const traces = await tracesOf(host, positional[0] as string, flags, own);
    if (flags.trace !== null && traces.length > 1)
      throw new SpecError('--trace keeps the run of one scenario.', 'Leave --n out.');
    const opened = await openAgent(host, flags.agent, flags, own, flags.notifications);
    const user = await openUser(host, flags, own);
    const judge = await openJudge(host, flags, own);
    const options = {
      classes: IMPORTABLE_CLASSES,
      seed: flags.seed,
      verbosity: flags.notifications,
      maxSteps: flags['max-steps'],
      generation: generationOf(flags),
      userReplies: flags['user-replies'],
      signal,
      engine: judge.engine,
      config: judge.config,
    };
    const kept =
      flags.trace === null
        ? null
        : await keptOf({ ...flags, trace: flags.trace }, traces[0] as Trace, opened, progress.note);
    const summaries = traces.map((): Summary | null => null);
    let done = 0;
    try {
      await inParallel(traces, flags.concurrency, stop, async (trace, place) => {
        signal.throwIfAborted();
        const words = flags['other-names'] ? wordsOf(trace, opened !== null) : null;
        const server = await withServer(flags, progress.note);
        const all = { ...options, ...server.options, user: user.seeded(flags.seed) };
        const model = opened?.seeded(flags.seed, kept?.through) ?? null;
        const played = await playAs(flags.agent, trace, all, model, words).finally(() => server.free());
        const summary = summaryOf(played, flags.agent);
        summaries[place] = summary;
        for (const skipped of played.scenario.skipped) progress.note(`Left out: ${skipped}`);
        await kept?.finish(tracedRun(trace, flags.agent, opened?.name ?? null, played));
        if (!flags.json && traces.length === 1) for (const line of linesOf(played, summary)) out(line);
        if (!flags.json && traces.length > 1) out(`${outcomeOf(played.verdict)}  ${headline(summary)}`);
        if (traces.length > 1) progress.update('scenarios', ++done, traces.length);
      });
    } catch (error) {
      if (kept?.through) progress.note('What was answered so far is kept: the same command goes on from there.');
      throw error;
    } finally {
      progress.end();
      opened?.free();
      user.free();
      judge.free();
    }
    const passed = summaries.filter((summary) => summary?.success).length;
    if (flags.json) out(JSON.stringify(traces.length === 1 ? summaries[0] : summaries, null, 2));
    else if (traces.length > 1) out(`${passed} of ${traces.length} passed.`);
    return passed === traces.length ? EXIT.ok : EXIT.failed;
  });

type RunFlags = Options & { readonly agent: AgentName };

/**
 * A local model's answers are reproducible. A server's answers are stored as they arrive, unless repeating the run would call tools or ask
 * a person twice.
 */
async function keptOf(
  flags: RunFlags & { readonly trace: string },
  trace: Trace,
  opened: OpenedAgent | null,
  note: (line: string) => void,
) {
  const { agent } = flags;
  const made = await runIdentity(flags, [...FLAGS_WITHOUT_EFFECT, 'trace'], { agent, model: opened, trace });
  return keptRun(flags.trace, made, agent === 'react' && !hasServer(flags) && flags.user === null, note);
}

function wordsOf(trace: Trace, hasModel: boolean): ToolWords {
  if (!hasModel) throw new SpecError('--other-names is for an agent with a model.', 'Leave it out, or give --agent.');
  const words = toolWordsOf(trace);
  if (words) return words;
  throw new SpecError('The scenario has no other names.', 'Leave --other-names out.');
}

async function tracesOf(host: Host, name: string, flags: Options, context: CommandContext): Promise<Trace[]> {
  const { n, seed, part, scenario } = flags;
  const split = SPLITS.find((one) => one === name);
  if (split) return Array.from({ length: n }, (_, index) => generateScenario({ split, seed, index, part }).trace);
  if (n > 1) throw new SpecError('--n is of a split.', `Name one of ${SPLITS.join(', ')}.`);
  return [await loader(host, flags, context)(await readTrace(name, scenario))];
}

type Summary = ReturnType<typeof summaryOf>;

function summaryOf(played: PlayedBy, agent: string) {
  const { scenario, environment, verifier, verdict, run, mistake, spent, gaveUp } = played;
  return {
    scenario: scenario.id,
    agent,
    success: verdict.success,
    rationale: verdict.rationale,
    differences: differencesOf(verdict.failure),
    exception: verdict.exception,
    mistake,
    gaveUp,
    end: run.end,
    turns: run.turns,
    of: verifier.turnCount,
    steps: run.steps.length,
    replies: run.replies,
    seconds: environment.clock.passed(),
    spent,
    matches: Object.fromEntries(verifier.matches),
    notes: environment.notes,
  };
}

function headline({ scenario, turns, of, steps, replies, seconds, end, spent }: Summary): string {
  const used =
    spent === null ? '' : `; ${spent.calls} answers, ${spent.inputTokens} tokens in, ${spent.outputTokens} out`;
  return `${scenario}: ${turns} of ${of} turns, ${counted(steps, 'action')}, ${replies > 0 ? `${replies} answered for the user, ` : ''}${counted(seconds, 'simulated second')}${used}; ${end}.`;
}

function linesOf({ run, verdict, mistake, gaveUp }: PlayedBy, summary: Summary): string[] {
  return [
    ...run.steps.map(({ time, app, tool, outcome }) => {
      const result = 'value' in outcome ? pythonText(outcome.value) : `${outcome.error.kind}: ${outcome.error.message}`;
      return `${stamp(time)}  ${app}__${tool}  ${result.replaceAll('\n', ' ').slice(0, 100)}`;
    }),
    ...(mistake === null ? [] : [`The mistake: ${mistake}.`]),
    ...(gaveUp === null ? [] : [`The agent gave up: ${gaveUp}`]),
    headline(summary),
    verdictText(verdict),
  ];
}
