// Runs an agent in an environment: it acts until it writes to the user (which ends a turn) or waits; then simulated time passes, second by
// second, until a message arrives. While the agent thinks the clock stands, and its thinking time is charged afterwards.
import type { Environment } from '../environment.ts';
import { settled } from '../pending.ts';
import { type Outcome, outcomeOf, type PythonError, typeError } from '../python-error.ts';
import type { App, World } from '../types.ts';
import type { Args, Value } from '../value.ts';
import type { Agent, AgentAct, AgentAction, AgentView, GenerationTime } from './types.ts';
import { DEFAULT_REPLIES, type UserProxy, userReplied } from './user-proxy.ts';

export interface RunOptions {
  readonly turns: number;
  readonly generation?: GenerationTime;
  /** Most actions of a run; then the agent is stopped with a message to the user. */
  readonly maxSteps?: number;
  /** Error with which a call fails before it takes effect; null if it does not. */
  readonly interferes?: (app: string, tool: string) => PythonError | null;
  /** Agents that replace the apps of these names (agent-to-agent). */
  readonly experts?: (world: World) => ReadonlyMap<string, App>;
  /** Answers the agent's messages for the user. The run goes on while it answers. */
  readonly user?: UserProxy;
  readonly userReplies?: number;
  readonly onStep?: (step: AgentStep) => void;
  readonly signal?: AbortSignal;
}

export interface AgentStep {
  /** Index of the act, from 0; idling counts. */
  readonly act: number;
  readonly time: number;
  readonly app: string;
  readonly tool: string;
  readonly args: Args;
  readonly thought: string | null;
  readonly outcome: Outcome<Value>;
}

export type RunEnd = 'turns done' | 'stopped' | 'time up' | 'steps up';

export interface AgentRun {
  readonly end: RunEnd;
  readonly turns: number;
  readonly steps: readonly AgentStep[];
  /** Every act, idling included, with its duration: the input of a replay (replay.ts). */
  readonly acts: readonly AgentAct[];
  /** Number of the agent's messages that were answered for the user. */
  readonly replies: number;
}

export const DEFAULT_MAX_STEPS = 80;

export async function runAgent(environment: Environment, agent: Agent, options: RunOptions): Promise<AgentRun> {
  const { turns: wanted, maxSteps = DEFAULT_MAX_STEPS, generation = { mode: 'fixed', seconds: 1 } } = options;
  const experts = options.experts?.(environment.world) ?? new Map<string, App>();
  const apps = environment.apps.map((app) => experts.get(app.name) ?? app);
  const appNamed = (name: string) => experts.get(name) ?? environment.world.app(name);
  const steps: AgentStep[] = [];
  const acts: AgentAct[] = [];
  let turns = 0;
  let replies = 0;
  let isAnswered = false;
  let outcome: AgentView['outcome'] = null;
  const end = (reason: RunEnd): AgentRun => ({ end: reason, turns, steps, acts, replies });
  const { user, userReplies = DEFAULT_REPLIES } = options;
  const answered = async () => user !== undefined && replies < userReplies && (await userReplied(environment, user));
  while (turns < wanted || isAnswered) {
    options.signal?.throwIfAborted();
    if (environment.isOver) return end('stopped');
    if (!environment.inbox.hasNew(environment.now())) {
      if (await settled(() => environment.step())) continue;
      return end(environment.isTimeUp ? 'time up' : 'stopped');
    }
    isAnswered = false;
    let isActing = true;
    while (isActing) {
      options.signal?.throwIfAborted();
      if (steps.length >= maxSteps) {
        call(appNamed(USER_INTERFACE), USER_INTERFACE, TO_USER, {
          content: `Max iterations (${maxSteps}) reached. Stopping.`,
        });
        return end('steps up');
      }
      const charged = generation.mode === 'fixed' ? generation.seconds : 0;
      environment.pause();
      const now = environment.now();
      const messages = environment.inbox.take(now);
      if (messages.some(({ kind }) => kind === 'ENVIRONMENT_STOP')) return end('stopped');
      const { log } = environment;
      const view = { now, callTime: now + charged, messages, outcome, apps, log };
      const { action, seconds } = await agent.act(view);
      const cost = generation.mode === 'measured' ? (seconds ?? 0) : charged;
      acts.push({ action, seconds: cost });
      await settled(() => environment.resume(cost));
      if (action.kind === 'idle') {
        outcome = null;
        break;
      }
      const failure = options.interferes?.(action.app, action.tool) ?? null;
      const act = acts.length - 1;
      const step = await settled(() => take(act, environment.now(), appNamed(action.app), action, failure));
      outcome = step.outcome;
      steps.push(step);
      options.onStep?.(step);
      const isUserInterface = action.app === USER_INTERFACE && action.tool === TO_USER;
      if (isUserInterface && 'value' in step.outcome) {
        turns++;
        isAnswered = await answered();
        if (isAnswered) replies++;
      }
      isActing = !isUserInterface && action.tool !== 'wait_for_notification' && !environment.isOver;
    }
  }
  return end('turns done');
}

const USER_INTERFACE = 'AgentUserInterface';
const TO_USER = 'send_message_to_user';

function take(
  act: number,
  time: number,
  owner: App | undefined,
  action: AgentAction & { kind: 'call' },
  failure: PythonError | null,
): AgentStep {
  const { app, tool, args, thought = null } = action;
  const outcome = failure ? { error: failure } : call(owner, app, tool, args);
  return { act, time, app, tool, args, thought, outcome };
}

/** Outcome of a call. Only an agent's tools can be called. */
function call(app: App | undefined, appName: string, tool: string, args: Args): AgentStep['outcome'] {
  const isTool = app?.tool(tool)?.roles.includes('agent') ?? false;
  if (!app || !isTool) return { error: typeError(`unknown tool ${appName}__${tool}`) };
  return outcomeOf(() => app.call(tool, args));
}
