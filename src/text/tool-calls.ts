// Reads tool calls from a model's text as it comes in pieces. A call has the form that Qwen's and Hermes' chat templates ask for: a JSON
// object between <tool_call> and </tool_call>.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { heldLength } from './answer-stream.ts';

const BEGIN = '<tool_call>';
const END = '</tool_call>';

/** A function that the model may call, as a chat template gets it. */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** A call as a model wrote it. `args` is JSON text, or whatever the model wrote in its place. */
export interface WrittenCall {
  readonly name: string;
  readonly args: string;
}

/** Splits an answer that comes in pieces into text and tool calls. */
export class CallReader {
  #waiting = '';
  #isInside = false;
  #hasCalled = false;

  /** Reads the next piece. `isLast` says that no piece follows, so that nothing is held back and a call without its closing tag is read as
   *  far as it came. */
  read(piece: string, isLast: boolean): { words: string; calls: WrittenCall[] } {
    this.#waiting += piece;
    let words = '';
    const calls: WrittenCall[] = [];
    for (;;) {
      const mark = this.#isInside ? END : BEGIN;
      const at = this.#waiting.indexOf(mark);
      if (at < 0) break;
      const before = this.#waiting.slice(0, at);
      this.#waiting = this.#waiting.slice(at + mark.length);
      if (this.#isInside) {
        const call = callIn(before);
        if (call) calls.push(call);
        else words += BEGIN + before + END;
        this.#hasCalled ||= call !== null;
      } else words += this.#wordsOf(before, true);
      this.#isInside = !this.#isInside;
    }
    if (this.#isInside) {
      if (!isLast) return { words, calls };
      const call = callIn(this.#waiting);
      if (call) calls.push(call);
      else words += BEGIN + this.#waiting;
      this.#waiting = '';
      return { words, calls };
    }
    const held = isLast ? 0 : this.#heldHere();
    const sure = this.#waiting.length - held;
    words += this.#wordsOf(this.#waiting.slice(0, sure), false);
    this.#waiting = this.#waiting.slice(sure);
    return { words, calls };
  }

  /** Number of characters to hold back: a beginning of <tool_call>, and the white space before it, which may belong to a call. */
  #heldHere(): number {
    const mark = heldLength(this.#waiting, [BEGIN]);
    const rest = this.#waiting.slice(0, this.#waiting.length - mark);
    return mark + (rest.length - rest.trimEnd().length);
  }

  /** The text to show of `text`: white space before and between calls is part of their form and dropped. */
  #wordsOf(text: string, isBeforeCall: boolean): string {
    const words = isBeforeCall ? text.trimEnd() : text;
    return this.#hasCalled && words.trim() === '' ? '' : words;
  }
}

/** The call in the text between the tags; null if no name can be read. */
function callIn(text: string): WrittenCall | null {
  try {
    const { name, arguments: args = {} } = parseJsonText(text) as { name?: unknown; arguments?: unknown };
    if (typeof name === 'string') return { name, args: typeof args === 'string' ? args : JSON.stringify(args) };
  } catch {
    // The text is no JSON: the arguments are returned as they were written, if the name can be read.
  }
  const [, name, args] =
    /^\s*\{\s*"name"\s*:\s*"([^"\\]+)"\s*,\s*"arguments"\s*:\s*([\s\S]*?)\s*\}?\s*$/.exec(text) ?? [];
  return name === undefined ? null : { name, args };
}
