// Imposes acts on a ReAct agent: edited ones, or those of an earlier run. The agent records an imposed call as its model's own answer, so
// its conversation is as if the model had given it; the model is not asked.

import type { ChatModel } from '../chat-model.ts';
import { argJson } from '../python-json.ts';
import { ReactAgent, type ReactOptions } from './react/react.ts';
import type { Agent, AgentAction } from './types.ts';

/** Returns the imposed act by its number, from 0; null if the agent acts itself. */
export type ImposedAct = (act: number) => AgentAction | null;

export function reactWithImposed(options: ReactOptions, given: ImposedAct): { agent: Agent; react: ReactAgent } {
  let act = -1;
  const { model } = options;
  const actingModel: ChatModel = {
    name: model.name,
    async answer(turns, stops) {
      const own = given(act);
      if (own?.kind !== 'call') return model.answer(turns, stops);
      const { app, tool, args, thought = '' } = own;
      const text = `Thought: ${thought}\nAction:\n{"action": "${app}__${tool}", "action_input": ${argJson(args)}}`;
      return { text, inputTokens: 0, outputTokens: 0, seconds: 0 };
    },
  };
  const react = new ReactAgent({ ...options, model: actingModel });
  const agent: Agent = {
    name: react.name,
    act(view) {
      act++;
      return given(act)?.kind === 'idle' ? { action: { kind: 'idle' } } : react.act(view);
    },
  };
  return { agent, react };
}
