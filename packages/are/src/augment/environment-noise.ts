// Noise of the environment: mails, messages, products and flats unrelated to the task, during the agent's run. They arrive as a Poisson
// process from the scenario's first event on, in apps that it has. The verifier skips them by their ids.
import { actionEvent, dependsOn } from '../events/graph.ts';
import type { ActionEvent } from '../events/types.ts';
import type { Scenario } from '../scenario/import.ts';
import type { App } from '../types.ts';
import { type Args, Float, isDict, type Value, type Values } from '../value.ts';
import { seededDraws } from '../world.ts';
import type { NoiseSource } from './noise-source.ts';

const NOISE_KINDS = ['email', 'message', 'product', 'flat'] as const;
type NoiseKind = (typeof NOISE_KINDS)[number];

export interface EnvironmentNoise {
  /** Events in a minute of simulated time. */
  perMinute: number;
  seed: number;
  messagesPerConversation?: number;
  itemsPerProduct?: number;
  weights?: Readonly<Partial<Record<NoiseKind, number>>>;
}

/** Seconds of noise if the scenario has no duration. */
const HORIZON = 360;

const CLASSES: Readonly<Record<NoiseKind, readonly string[]>> = {
  email: ['EmailClientV2', 'Mail'],
  message: ['MessagingAppV2'],
  product: ['ShoppingApp', 'Shopping'],
  flat: ['ApartmentListingApp', 'RentAFlat'],
};

interface Arrival {
  app: App;
  tool: string;
  args: Args;
}
/** The next arrivals of a type, given the id of the first of them; empty if the material is used up. */
type Stream = (id: string) => Arrival[];

/** Adds noise to a scenario that has not been run. The noise events depend on its first event. */
export function addEnvironmentNoise(scenario: Scenario, source: NoiseSource, noise: EnvironmentNoise): Scenario {
  const first = scenario.events.find(({ dependencies }) => dependencies.length === 0);
  const streams = NOISE_KINDS.flatMap((kind) => {
    const weight = noise.weights?.[kind] ?? 1;
    const apps = scenario.apps.filter(({ className }) => CLASSES[kind].includes(className));
    return weight > 0 ? apps.map((app) => ({ weight, next: streamOf(kind, app, source, noise) })) : [];
  });
  if (!first || streams.length === 0 || noise.perMinute <= 0) return scenario;
  const draws = seededDraws(noise.seed, 'environment noise');
  const horizon = scenario.duration || HORIZON;
  const events: ActionEvent[] = [];
  const gap = () => (-Math.log(1 - draws.random()) * 60) / noise.perMinute;
  let pending: Arrival[] = [];
  for (let delay = gap(); delay < horizon; delay += gap()) {
    const id = `env_expansion_${events.length}`;
    if (pending.length === 0) pending = [...pick(streams, draws.random()).next(id)];
    const arrival = pending.shift();
    const tool = arrival?.app.tool(arrival.tool);
    if (!arrival || !tool) continue;
    const event = actionEvent({ id, type: 'ENV', app: arrival.app, tool, args: arrival.args });
    events.push(dependsOn(event, [first], delay));
  }
  return { ...scenario, events: [...scenario.events, ...events] };
}

/** Chooses an item by weight; `at` is in [0, 1). */
function pick<T extends { weight: number }>(items: readonly T[], at: number): T {
  let left = at * items.reduce((sum, { weight }) => sum + weight, 0);
  for (const item of items) {
    left -= item.weight;
    if (left < 0) return item;
  }
  return items.at(-1) as T;
}

function streamOf(kind: NoiseKind, app: App, source: NoiseSource, noise: EnvironmentNoise): Stream {
  let count = 0;
  const next = <T>(items: readonly T[]): T | undefined => items[count++];
  switch (kind) {
    case 'email':
      return () => {
        const mail = next(source.mails);
        return mail ? [{ app, tool: 'send_email_to_user_only', args: { ...mail } }] : [];
      };
    case 'flat':
      return () => {
        const flat = next(source.flats);
        return flat ? [{ app, tool: 'add_new_apartment', args: { ...flat, price: new Float(flat.price) } }] : [];
      };
    case 'product':
      return (id) => {
        const product = next(source.products);
        if (!product) return [];
        const items = product.items
          .slice(0, noise.itemsPerProduct ?? 2)
          .map(({ price, options }) => ({
            app,
            tool: 'add_item_to_product',
            args: { product_id: `{{${id}}}`, price: new Float(price), options },
          }));
        return [{ app, tool: 'add_product', args: { name: product.name } }, ...items];
      };
    case 'message':
      return () => {
        const conversation = next(conversationsOf(app));
        const count = noise.messagesPerConversation ?? 4;
        return (conversation ? source.messages.slice(0, count) : []).map((content) => ({
          app,
          tool: 'create_and_add_message',
          args: { ...(conversation as Conversation), content },
        }));
      };
  }
}

type Conversation = { conversation_id: string; sender_id: string };

/** Conversations with at least one participant besides the user. */
function conversationsOf(app: App): Conversation[] {
  const state: Values = app.getState() ?? {};
  const conversations = isDict(state.conversations ?? null) ? Object.values(state.conversations as Values) : [];
  return conversations.flatMap((value: Value) => {
    const { conversation_id, participant_ids } = value as Values;
    const sender = (participant_ids as readonly string[]).find((id) => id !== state.current_user_id);
    return sender === undefined ? [] : [{ conversation_id: conversation_id as string, sender_id: sender }];
  });
}
