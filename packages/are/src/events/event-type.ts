// Who began an event, or what kind of thing it is.

export const EVENT_TYPES = ['AGENT', 'ENV', 'CONDITION', 'VALIDATION', 'USER', 'STOP'] as const;
export type EventType = (typeof EVENT_TYPES)[number];
