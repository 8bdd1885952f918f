// Where what was not shown can be found: by text, the calls that show it, and what has to be known to make them. An agent that looks for
// something it cannot ask for yet looks for that first: the sender's address by the mail's subject, then the sender by the address.
import type { Book } from '@projected-grpo-lab/are/language/book.ts';
import type { CompactCall } from '@projected-grpo-lab/are/language/language.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import type { Args } from '@projected-grpo-lab/are/value.ts';

type Row = Readonly<Record<string, never>>;

interface Source {
  readonly call: CompactCall;
  readonly needs: readonly string[];
}

/** Lookups on the way to one. */
const DEEPEST = 4;

export class Finder {
  private readonly sources = new Map<string, Source[]>();
  private readonly asked = new Set<string>();
  private readonly words = new Set<string>();

  constructor({ apps }: Trace) {
    const state = (name: string) => (apps.find((app) => app.name === name)?.app_state ?? {}) as Record<string, unknown>;
    const rows = (table: unknown) => Object.values((table ?? {}) as Record<string, Row>);
    for (const { first_name, last_name, contact_id, email, phone, city_living, job } of rows(
      state('Contacts').contacts,
    )) {
      const name = `${first_name} ${last_name}`;
      const shown = [name, contact_id, email, phone, city_living, job];
      for (const query of [name, email, phone, first_name])
        this.add(shown, 'Contacts', 'search_contacts', { query }, [query]);
      for (const known of [city_living, job]) this.add(shown, 'Contacts', 'get_contacts', {}, [known]);
    }
    for (const { event_id, title, attendees, start_strftime } of rows(state('Calendar').events)) {
      const shown = [event_id, ...(attendees as string[]), ...String(start_strftime).slice(-19, -3).split(' ')];
      this.add(shown, 'Calendar', 'search_events', { query: title }, [title]);
    }
    const { INBOX } = state('Emails').folders as { INBOX: { emails: Row[] } };
    for (const { email_id, subject, sender } of INBOX.emails)
      this.add([email_id, sender], 'Emails', 'search_emails', { query: subject }, [subject]);
    const itemOf = new Map<string, string>();
    for (const { name, variants } of rows(state('Shopping').products))
      for (const { item_id, price, options } of rows(variants)) {
        itemOf.set(item_id, name);
        const { color } = options as { color: string };
        this.words.add(color);
        this.add([item_id, String(price), color], 'Shopping', 'search_product', { product_name: name }, [name]);
      }
    for (const { order_id, order_items } of rows(state('Shopping').orders))
      this.add([order_id], 'Shopping', 'list_orders', {}, Object.keys(order_items));
    for (const { apartment_id, name, location, zip_code, price } of rows(state('RentAFlat').apartments)) {
      const shown = [apartment_id, location, zip_code, String(price)];
      this.add(shown, 'RentAFlat', 'search_apartments', { name }, [name]);
      this.add([name, ...shown], 'RentAFlat', 'search_apartments', { location }, [location]);
    }
  }

  private add(shown: readonly string[], app: string, tool: string, args: Args, needs: readonly string[]): void {
    for (const text of shown) {
      const known = this.sources.get(text) ?? [];
      known.push({ call: { app, tool, args }, needs });
      this.sources.set(text, known);
    }
  }

  /** The next lookup on the way to what these texts name; null where all of it was shown or cannot be found.
   *  @param seen what was shown, for words that have no handle */
  next(texts: readonly string[], book: Book, seen: string): CompactCall | null {
    const known = (text: string) => (this.words.has(text) ? seen.includes(text) : book.handleOf(text) !== null);
    const lookFor = (text: string, depth: number): CompactCall | null => {
      if (known(text) || depth > DEEPEST) return null;
      const sources = (this.sources.get(text) ?? []).filter(
        ({ call, needs }) => !needs.includes(text) && !this.asked.has(JSON.stringify(call)),
      );
      const ready = sources.find(({ needs }) => needs.every(known));
      if (ready) return ready.call;
      for (const { needs } of sources)
        for (const need of needs) {
          const call = lookFor(need, depth + 1);
          if (call) return call;
        }
      return null;
    };
    for (const text of texts) {
      const call = lookFor(text, 0);
      if (!call) continue;
      this.asked.add(JSON.stringify(call));
      return call;
    }
    return null;
  }

  /** What of a text can be looked up: itself, or what it names. */
  namedIn(text: string, book: Book): string[] {
    if (book.handleOf(text) !== null) return [];
    if (this.sources.has(text)) return [text];
    const named = [...text.matchAll(book.dialect.entity)].flatMap(({ 0: found }) => [
      found,
      found.slice(found.indexOf(' ') + 1),
    ]);
    const words = text.match(/\p{L}+/gu) ?? [];
    return [...named, ...words.filter((word) => this.words.has(word))];
  }
}
