// Two dialects of the compact language. The first is tiny-agent's, byte for byte: records show only fields that distinguish them, and a
// text is either a handle or a literal. The second is tiny-agent-forms's: records show more fields, and texts may contain handles, so that
// an answer or a question can name what was found.

export interface Dialect {
  readonly id: 1 | 2;
  /** Matches entities in a message; a sequence of capitalised words counts as one, without the word that starts a sentence. */
  readonly entity: RegExp;
  readonly sentenceBegins: RegExp;
  /** Whether texts may contain handles. */
  readonly hasTexts: boolean;
  /** Fields shown of a record, by its id field (the first that it has). Null: the same fields for all records. */
  readonly records: readonly (readonly [id: string, fields: readonly string[]])[] | null;
  /** Most characters of an observation. */
  readonly longest: number;
}

export const FIRST: Dialect = {
  id: 1,
  entity:
    /"([^"]*)"|[^\s"@]+@[^\s"@]+\.\w+|\+\d{6,}|\d{4}-\d\d-\d\d|\d\d:\d\d|\b[0-9a-f]{32}\b|\p{Lu}\p{L}*(?: \p{Lu}\p{L}*)*/gu,
  sentenceBegins: /(?:^|[.?!"]\s+)$/,
  hasTexts: false,
  records: null,
  longest: 500,
};

export const SECOND: Dialect = {
  id: 2,
  entity:
    /"([^"]*)"|[^\s"@]+@[^\s"@]+\.[a-z]+|\+\d{6,}|\d{4}-\d\d-\d\d|\d\d:\d\d|\b\d{5}\b|\d+\.\d+|\b[0-9a-f]{32}\b|\p{Lu}\p{L}*(?: \p{Lu}\p{L}*)*/gu,
  sentenceBegins: /(?:^|[.?!":]\s+)$/,
  hasTexts: true,
  records: [
    ['contact_id', ['name', 'phone', 'email', 'city_living', 'job', 'contact_id']],
    ['event_id', ['title', 'start_strftime', 'attendees', 'event_id']],
    ['email_id', ['sender', 'subject', 'email_id']],
    ['apartment_id', ['name', 'price', 'location', 'zip_code', 'apartment_id']],
    ['ride_id', ['start_location', 'end_location', 'price']],
    ['message_id', ['content']],
    ['product_id', ['name', 'variants']],
    ['item_id', ['options', 'price', 'item_id']],
    ['order_id', ['order_id', 'order_items']],
  ],
  longest: 1000,
};
