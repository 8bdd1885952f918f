// A tool's answer as one text for the agent: every part of it, with a description of parts that are no text.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { Value, Values } from '../../value.ts';
import { isValues } from './json-schema.ts';

export interface McpAnswer {
  text: string;
  isError: boolean;
}

/** Throws Error if the value is no result of a tool; its message continues the tool's name. */
export function answerOf(result: Values): McpAnswer {
  const { content = null, structuredContent = null, toolResult, isError } = result;
  if (content !== null && !Array.isArray(content)) throw new Error('its content is no list of parts');
  const parts = (content ?? []) as readonly Value[];
  const texts = parts.map(partText);
  // Servers repeat a structured answer as text for older clients; it is shown once.
  if (structuredContent !== null && !parts.some((part) => isSameText(part, structuredContent)))
    texts.push(JSON.stringify(structuredContent));
  // The first version of the protocol used this form.
  if (toolResult !== undefined && texts.length === 0) texts.push(JSON.stringify(toolResult));
  const failed = isError === true;
  if (texts.length === 0 && content === null && !failed)
    throw new Error('it has neither content nor structuredContent');
  const text = texts.join('\n');
  return { text: failed && text.trim() === '' ? 'The tool failed and gave no reason.' : text, isError: failed };
}

function isSameText(part: Value, structured: Value): boolean {
  if (!isValues(part) || typeof part.text !== 'string') return false;
  try {
    return JSON.stringify(parseJsonText(part.text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function partText(part: Value): string {
  if (!isValues(part)) return JSON.stringify(part);
  const { type, text, resource } = part;
  if (type === 'text' && typeof text === 'string') return text;
  if ((type === 'image' || type === 'audio') && typeof part.data === 'string')
    return `[${type}${listed([part.mimeType, bytesOf(part.data)])}; it cannot be shown as text]`;
  if (type === 'resource_link') return `[link to a resource${resourceWords(part)}]`;
  if (type === 'resource' && isValues(resource)) {
    const head = `[resource${resourceWords(resource)}`;
    if (typeof resource.text === 'string') return `${head}]\n${resource.text}`;
    const size = typeof resource.blob === 'string' ? `${bytesOf(resource.blob)}` : null;
    return `${head}${size === null ? '' : `, ${size}`}; it cannot be shown as text]`;
  }
  return JSON.stringify(part);
}

const resourceWords = ({ uri, name, title, mimeType, size, description }: Values): string =>
  listed([
    uri,
    name,
    title === name ? null : title,
    mimeType,
    typeof size === 'number' ? `${size} bytes` : null,
    description,
  ]);

const listed = (words: readonly (Value | undefined)[]): string => {
  const texts = words.filter((word) => typeof word === 'string' && word.trim() !== '');
  return texts.length > 0 ? `: ${texts.join(', ')}` : '';
};

/** Counts the bytes of base64, without reading it. */
function bytesOf(data: string): string {
  const padding = /={0,2}$/.exec(data)?.[0].length ?? 0;
  return `${Math.max(0, Math.floor((data.length * 3) / 4) - padding)} bytes`;
}
