// A server's own words for a refusal, which come as JSON in several formats, as an HTML page, or as plain text.
import { parseJsonText } from './json.ts';

/** Most characters of a server's words in a message. */
const MOST = 300;
/** Members of JSON that contain a reason, the most specific first. */
const MEMBERS = ['message', 'error', 'msg', 'detail', 'details', 'errors', 'title'] as const;
const MOST_DEPTH = 4;

/** The reason on one line; "" without one. */
export function reasonOf(text: string): string {
  const message = isHtml(text) ? wordsOf(text) : (inJson(text) ?? text);
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
}

export const isHtml = (text: string): boolean =>
  /^\s*(?:<!doctype html|<html|<head|<body)\b/i.test(text.slice(0, 1000));

function inJson(text: string): string | null {
  if (!/^\s*[{["]/.test(text)) return null;
  try {
    return within(parseJsonText(text), 0);
  } catch {
    return null;
  }
}

function within(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return null;
  if (Array.isArray(value)) {
    const parts = value.slice(0, 3).flatMap((one) => within(one, depth + 1) ?? []);
    return parts.length > 0 ? parts.join('; ') : null;
  }
  const members = value as Record<string, unknown>;
  for (const name of MEMBERS) {
    const found = Object.hasOwn(members, name) ? within(members[name], depth + 1) : null;
    // FastAPI names the field beside the message.
    const { loc } = members;
    if (found !== null) return name === 'msg' && Array.isArray(loc) ? `${loc.join('.')}: ${found}` : found;
  }
  return null;
}

/** A page's title, or its text. */
function wordsOf(page: string): string {
  const [, title] = /<title[^>]*>([^<]*)/i.exec(page) ?? [];
  const words = title?.trim() || withoutMarkup(page.slice(0, 20_000));
  return `an HTML page: ${words}`;
}

const withoutMarkup = (page: string): string =>
  page.replace(/<(script|style)\b[^>]*>[^<]*(?:<(?!\/\1)[^<]*)*<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
