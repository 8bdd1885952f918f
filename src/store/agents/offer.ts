// The contents of a link, shown before any of it is played: the scenario, the agent and the calls. They are read from the link alone, so
// neither the scenario's oracle nor any call of its agent has run.
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import type { AreLink } from './link.ts';
import { AGENT_WORDS } from './words.ts';

export interface Offer {
  readonly link: AreLink;
  readonly scenario: string;
  readonly agent: string;
  /** The user's messages; empty for a generated scenario, whose link does not hold them. */
  readonly tasks: readonly string[];
  /** The edits, and all acts if the agent has a model. */
  readonly calls: readonly string[];
}

/** Limits on what is displayed: characters of a text, and number of calls. */
const LONGEST = 400;
const MOST_CALLS = 20;

export function offerOf(link: AreLink): Offer {
  const { scenario, agent, edits, acts } = link;
  const calls = [
    ...edits.map(({ at, app, tool, args }) => `act ${at + 1}, edited: ${app}.${tool} ${args}`),
    ...(acts ?? []).flatMap((act) =>
      act === null ? [] : [`${act.app}.${act.tool} ${act.args.replaceAll(/\s*\n\s*/g, ' ')}`],
    ),
  ].map(truncated);
  const more = calls.length - MOST_CALLS;
  return {
    link,
    agent: AGENT_WORDS[agent],
    scenario: truncated(scenarioWords(scenario)),
    tasks: 'trace' in scenario ? tasksIn(scenario.trace).map(truncated) : [],
    calls: more > 0 ? [...calls.slice(0, MOST_CALLS), `and ${more} more`] : calls,
  };
}

function scenarioWords(scenario: AreLink['scenario']): string {
  if ('generated' in scenario) {
    const { split, seed, index, isSmall, part } = scenario.generated;
    return `generated: ${split}, seed ${seed}, number ${index}${isSmall ? ', small universe' : ''}${part === 'training' ? '' : `, ${part}`}`;
  }
  const { metadata, apps, events } = scenario.trace;
  return `${metadata.definition.scenario_id} (${scenario.name}), ${apps.length} apps, ${events.length} events`;
}

const tasksIn = ({ events }: Trace): string[] =>
  events.flatMap(({ action }) =>
    action?.function === 'send_message_to_agent'
      ? (action.args ?? []).flatMap(({ name, value }) => (name === 'content' ? [String(value)] : []))
      : [],
  );

const truncated = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text);
