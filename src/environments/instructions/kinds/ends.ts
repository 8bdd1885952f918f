// How it begins and ends, and what it is a repetition or a combination of.
import * as z from 'zod/mini';
import { isBlank, strip, stripOf } from '../python-text.ts';
import { type Kind, kind, none, passage } from './kind.ts';

const same = (text: string): string => strip(text).toLowerCase();

export const END_KINDS: readonly Kind[] = [
  kind({
    id: 'startend:end_checker',
    args: z.strictObject({ end_phrase: passage }),
    check({ end_phrase }) {
      const wanted = same(end_phrase);
      return (text) =>
        stripOf(strip(text), (char) => char === '"')
          .toLowerCase()
          .endsWith(wanted);
    },
  }),
  kind({
    id: 'startend:quotation',
    args: none,
    check: () => (text) => {
      const bare = strip(text);
      return bare.length > 1 && bare.startsWith('"') && bare.endsWith('"');
    },
  }),
  kind({
    id: 'combination:repeat_prompt',
    args: z.strictObject({ prompt_to_repeat: passage }),
    check({ prompt_to_repeat }) {
      const wanted = same(prompt_to_repeat);
      return (text) => same(text).startsWith(wanted);
    },
  }),
  kind({
    id: 'combination:two_responses',
    args: none,
    check: () => (text) => {
      const parts = text.split('******');
      const isInner = (i: number) => i > 0 && i < parts.length - 1;
      if (parts.some((part, i) => isInner(i) && isBlank(part))) return false;
      const said = parts.filter((part) => !isBlank(part)).map(strip);
      return said.length === 2 && said[0] !== said[1];
    },
  }),
];
