// An entry of the corpus: a text of the oracle's, the task that it serves, and what an agent might have written in its place.

/** Classes of texts instead of the oracle's; the first two say the same. */
export const PAIR_CLASSES = ['right', 'paraphrase', 'negated', 'stuffed', 'swapped', 'lied'] as const;
export type PairClass = (typeof PAIR_CLASSES)[number];
const ACCEPTABLE: readonly PairClass[] = ['right', 'paraphrase'];
export const isAcceptable = (kind: PairClass): boolean => ACCEPTABLE.includes(kind);

/** The content of a message, or several arguments of one call. */
export type PairText = string | Readonly<Record<string, string>>;
export interface PairItem extends Readonly<Record<PairClass, PairText>> {
  readonly tool: keyof typeof TOOLS;
  readonly task: string;
  readonly oracle: PairText;
}

export const TOOLS = {
  email: 'EmailClientApp__reply_to_email',
  message: 'MessagingAppV2__send_message',
  user: 'AgentUserInterface__send_message_to_user',
  event: 'CalendarApp__add_calendar_event',
  cab: 'CabApp__order_ride',
} as const;
