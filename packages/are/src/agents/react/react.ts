// The ReAct agent of the reference (ARE, arXiv 2509.17158): thoughts and actions in turn, actions as JSON. It reads its notifications, asks
// its model and parses the action; an answer that cannot be parsed is shown to the model as an error, and it tries again. Hooks run before
// and after each step.

import {
  type ChatModel,
  type ChatTurn,
  cutAt,
  flawOf,
  type ModelUsage,
  PromptTooLong,
  withoutThought,
} from '../../chat-model.ts';
import type { Verbosity } from '../../notifications/notified.ts';
import type { PythonError } from '../../python-error.ts';
import { pythonText } from '../../python-text.ts';
import type { App } from '../../types.ts';
import { type Args, isDict, plain } from '../../value.ts';
import { AgentError, parseAction } from '../parse-action.ts';
import { DEFAULT_MAX_STEPS } from '../run.ts';
import type { Agent, AgentAction, AgentView, Exchange } from '../types.ts';
import { errorText, messagesText, observation, STOPS, systemPrompt, toolLine } from './prompt.ts';

export interface ReactHooks {
  /** Texts that are added before each question, besides notifications. */
  readonly before?: (view: AgentView) => readonly string[];
  /** May replace the model's action. */
  readonly after?: (action: AgentAction, view: AgentView) => AgentAction;
}

export interface ReactOptions {
  readonly model: ChatModel;
  readonly verbosity?: Verbosity;
  readonly hooks?: ReactHooks;
  /** Most calls of the model, including those whose answer was no action. */
  readonly maxCalls?: number;
}

/** Most consecutive answers with neither a thought nor an action. */
const FORMAT_RETRIES = 10;

type Call = AgentAction & { readonly kind: 'call' };

export class ReactAgent implements Agent {
  readonly name: string;
  /** Why the agent gave up; null while it has not. */
  failure: string | null = null;
  private readonly turns: ChatTurn[] = [];
  /** `count`: number of turns in the question; turns that were sent never change. */
  private readonly asked: (Omit<Exchange, 'input'> & { readonly count: number })[] = [];
  private place = -1;
  private now = 0;
  private counted = { calls: 0, inputTokens: 0, outputTokens: 0, formatErrors: 0 };
  private last: Call | null = null;
  private step = 0;

  constructor(private readonly options: ReactOptions) {
    this.name = `react ${options.model.name}`;
  }

  get spent(): ModelUsage {
    return this.counted;
  }

  /** Every question, including those whose answer was no action. */
  get exchanges(): readonly Exchange[] {
    return this.asked.map(({ count, ...one }) => ({ ...one, input: this.turns.slice(0, count) }));
  }

  get conversation(): readonly ChatTurn[] {
    return this.turns;
  }

  async act(view: AgentView): Promise<{ action: AgentAction; seconds: number }> {
    const { hooks = {}, verbosity = 'MEDIUM' } = this.options;
    this.place++;
    this.now = view.now;
    if (this.failure !== null) return { action: { kind: 'idle' }, seconds: 0 };
    if (this.turns.length === 0) this.say('system', systemPrompt(view.apps, view.now, verbosity));
    const isStart = this.last === null || endsRun(this.last);
    if (this.last !== null && view.outcome !== null)
      this.say('user', this.outcomeText(this.last, view.outcome, view.apps));
    for (const text of messagesText(view.messages, isStart)) this.say('user', text);
    for (const text of hooks.before?.(view) ?? []) this.say('user', text);
    try {
      const { action: own, seconds } = await this.ask();
      const action = hooks.after?.(own, view) ?? own;
      this.last = action.kind === 'call' ? action : null;
      return { action, seconds };
    } catch (error) {
      if (!(error instanceof PromptTooLong)) throw error;
      this.failure = error.message;
      return { action: { kind: 'idle' }, seconds: 0 };
    }
  }

  /** Asks until an action can be parsed, or the calls are used up. */
  private async ask(): Promise<{ action: Call; seconds: number }> {
    const { model, maxCalls = 2 * DEFAULT_MAX_STEPS } = this.options;
    let seconds = 0;
    let malformed = 0;
    let flawed = '';
    while (this.counted.calls < maxCalls && malformed <= FORMAT_RETRIES) {
      const answer = await model.answer(this.turns, { stop: STOPS });
      const text = cutAt(withoutThought(answer.text).text, STOPS);
      const { inputTokens, outputTokens } = answer;
      const flaw = flawOf(answer);
      const exchange = {
        act: this.place,
        time: this.now,
        count: this.turns.length,
        output: text,
        inputTokens,
        outputTokens,
        seconds: answer.seconds,
      };
      this.counted.calls++;
      this.counted.inputTokens += inputTokens;
      this.counted.outputTokens += outputTokens;
      seconds += answer.seconds;
      this.say('assistant', text);
      malformed = flaw === undefined && /Action:|Thought:/.test(text) ? 0 : malformed + 1;
      flawed = flaw === undefined ? '' : ` The last one: ${flaw}.`;
      try {
        const action = callIn(text);
        this.asked.push({ ...exchange, fault: null });
        return { action, seconds };
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        const message = flaw === undefined ? error.message : `Your answer has no action that can be read: ${flaw}.`;
        this.asked.push({ ...exchange, fault: { kind: error.kind, message } });
        this.counted.formatErrors++;
        this.say('user', errorText(this.step++, message));
      }
    }
    this.failure =
      (malformed > FORMAT_RETRIES
        ? 'Its answers had no action.'
        : `Its ${maxCalls} questions to the model are used up.`) + flawed;
    const content = `Max iterations (${maxCalls}) reached. Stopping.`;
    return {
      action: { kind: 'call', app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content } },
      seconds,
    };
  }

  private outcomeText(call: Call, outcome: NonNullable<AgentView['outcome']>, apps: readonly App[]): string {
    const app = apps.find(({ name }) => name === call.app);
    const tool = app?.tool(call.tool);
    const step = this.step++;
    if ('value' in outcome) return observation(step, tool?.tells?.(plain(outcome.value)) ?? pythonText(outcome.value));
    const about = app && tool ? `\n${toolLine(app, tool)}` : '';
    return errorText(step, `${saidOf(outcome.error)}${about}`);
  }

  /** Adds a turn; consecutive turns of one role are joined, since many chat templates require alternating roles. */
  private say(role: ChatTurn['role'], content: string): void {
    const before = this.turns.at(-1);
    if (before?.role === role) this.turns[this.turns.length - 1] = { role, content: `${before.content}\n\n${content}` };
    else this.turns.push({ role, content });
  }
}

const saidOf = ({ kind, message }: PythonError): string => `${kind}: ${message}`;

const endsRun = ({ app, tool }: Call): boolean =>
  tool === 'wait_for_notification' || (app === 'AgentUserInterface' && tool === 'send_message_to_user');

/** Throws AgentError. */
function callIn(text: string): Call {
  const { rationale, toolName, appName, actionName, input } = parseAction(text);
  if (actionName === null) throw new AgentError('InvalidActionAgentError', `Error: unknown tool ${toolName}`);
  if (input !== '' && !isDict(input)) {
    throw new AgentError('JsonParsingAgentError', 'Could not parse the given action: action_input has to be an object');
  }
  const thought = rationale.replace(/^\s*Thought:\s*/, '').trim();
  const args: Args = input === '' ? {} : (input as Args);
  return { kind: 'call', app: appName, tool: actionName, args, ...(thought !== '' && { thought }) };
}
