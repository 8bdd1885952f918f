// An entry of the corpus: a text of the oracle, its task, and texts that an agent might have written instead.

/** Classes of the agent's texts; the first two mean the same as the oracle's. */
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
