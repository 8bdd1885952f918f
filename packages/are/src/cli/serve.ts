// `are serve FILE|SPLIT`: lets any agent framework play a scenario, by the Model Context Protocol on standard input and output, or by HTTP
// on this machine. Messages for people, including the verdict, go to standard error.

import { integer, number, oneOf, text, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { type CommandContext, command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { RemoteAgent } from '../agents/remote.ts';
import { type AgentRun, type AgentStep, runAgent } from '../agents/run.ts';
import { traceOfRun } from '../agents/trace.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { generateScenario, PARTS } from '../generate/generate.ts';
import { SPLITS } from '../generate/template.ts';
import { VERBOSITIES } from '../notifications/notified.ts';
import { settled } from '../pending.ts';
import type { Trace } from '../scenario/schema.ts';
import { counted, verdictText } from '../verifier/explain.ts';
import { beginJudgedRun } from '../verifier/judged-run.ts';
import type { Verdict } from '../verifier/verifier.ts';
import { judgeFlags, openJudge } from './flags.ts';
import type { Host } from './host.ts';
import { keptRun } from './kept-answers.ts';
import { loader } from './loaded.ts';
import type { Served } from './mcp/server.ts';
import { generationOf } from './model-flags.ts';
import { readTrace } from './scenario-set.node.ts';

const usageFor = (host: Host) => {
  const { json: _, ...judges } = judgeFlags(host);
  return {
    name: 'are serve',
    summary:
      'Lets any agent framework play a scenario: an MCP server of its apps on standard input and output, or by HTTP.',
    positional: ['FILE|SPLIT'],
    flags: {
      seed: integer('Of a split: the scenario’s number.', 0),
      part: oneOf(PARTS, 'Of a split: templates and words that training may see, or held-out ones.', 'training'),
      notifications: oneOf(VERBOSITIES, 'How much the agent is told of.', 'MEDIUM'),
      generation: oneOf(['fixed', 'instant', 'measured'], 'What thinking takes on the simulated clock.', 'measured'),
      seconds: number('Simulated seconds of an action, with --generation fixed.', 1, 0, 3600),
      'max-steps': integer('Actions of the agent in all.', 80, 1, 10_000),
      state: toggle('Shows what is in the apps as resources (app://NAME/state), as the reference does.'),
      trace: text('FILE', 'Writes the run as a trace that `are judge` and the page read.', null),
      port: integer(
        'By HTTP on 127.0.0.1, at this port (0: a free one): Streamable HTTP at /mcp, the older SSE at /sse.',
        null,
        0,
        65_535,
      ),
      idle: integer('With --port: seconds without a request after which the client has gone.', 1800, 1, 86_400),
      ...host.apps.flags,
      ...judges,
    },
    notes: `A framework starts it as a command: ${host.quietLead} are serve FILE; or it is started with --port and the framework is given the address. When it hangs up, the world goes on without it until its time is up, and the verdict is printed to standard error. Exit code 1 when the run fails its scenario.`,
  };
};

export const areServe = (host: Host) =>
  command(host.program, usageFor(host), async ({ flags, positional }, context) => {
    const { progress, signal } = context;
    const trace = await loader(host, flags, context)(await traceOf(positional[0] as string, flags));
    const kept = flags.trace === null ? null : await keptRun(flags.trace, '', false, progress.note);
    const judge = await openJudge(host, { ...flags, device: 'auto', threads: 1 }, context);
    try {
      const agent = new RemoteAgent(() => performance.now());
      const { environment, verifier, scenario } = beginJudgedRun(trace, {
        classes: IMPORTABLE_CLASSES,
        verbosity: flags.notifications,
        engine: judge.engine,
        config: judge.config,
      });
      for (const skipped of scenario.skipped) progress.note(`Left out: ${skipped}`);
      const steps: AgentStep[] = [];
      const playing = runAgent(environment, agent, {
        turns: verifier.turnCount,
        maxSteps: flags['max-steps'],
        generation: generationOf(flags),
        signal,
        onStep: (step) => {
          steps.push(step);
          agent.onStep(step);
        },
      }).finally(() => agent.end());
      const served = { name: scenario.id, apps: environment.apps, agent, hasState: flags.state };
      const stopped = new Promise<never>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      );
      // A lost judge's server ends the run at once, even with a client connected.
      const lost = new Promise<never>((_resolve, reject) => playing.catch(reject));
      const ended = Promise.race([stopped, lost]);
      const log = () => environment.log.list();
      const finish = (run: Pick<AgentRun, 'steps'>, verdict: Verdict | null) =>
        kept?.finish(traceOfRun(trace, { agent: 'mcp', model: null, run, verdict, log: log() }));
      let run: AgentRun;
      let verdict: Verdict;
      try {
        await (flags.port === null
          ? Promise.race([overStdio(served), ended])
          : overHttp(served, flags.port, flags.idle, progress, ended));
        agent.leave();
        run = await playing;
        verdict = await settled(() => verifier.judgeEnd(log()));
      } catch (error) {
        // On Ctrl-C or a lost judge the steps are still written: a framework's run cannot be repeated.
        await finish({ steps }, null);
        if (kept)
          progress.note(
            `${flags.trace} has the run as far as it came: ${counted(steps.length, 'action')}, not judged.`,
          );
        throw error;
      }
      await finish(run, verdict);
      progress.note(
        `${scenario.id}: ${run.turns} of ${verifier.turnCount} turns, ${counted(run.steps.length, 'action')}; ${run.end}.`,
      );
      progress.note(verdictText(verdict));
      return verdict.success ? EXIT.ok : EXIT.failed;
    } finally {
      judge.free();
    }
  });

const overStdio = async (served: Served) => (await import('./mcp/server.ts')).serveOverStdio(served);

async function overHttp(
  served: Served,
  port: number,
  idle: number,
  { note }: CommandContext['progress'],
  ended: Promise<never>,
) {
  const { serveOverHttp } = await import('./mcp/http.ts');
  const listening = await serveOverHttp(served, port, idle);
  note(`Listening for one client: ${listening.base}/mcp (Streamable HTTP), ${listening.base}/sse (SSE).`);
  await Promise.race([listening.gone, ended]).finally(() => listening.close());
}

async function traceOf(name: string, { seed, part }: { seed: number; part: (typeof PARTS)[number] }): Promise<Trace> {
  const split = SPLITS.find((one) => one === name);
  return split ? generateScenario({ split, seed, index: 0, part }).trace : readTrace(name);
}
