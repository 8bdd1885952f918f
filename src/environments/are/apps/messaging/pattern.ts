// A regular expression as Python writes it, in JavaScript's dialect. Named groups, inline flags at the start and the anchors \A and \Z
// are translated; the rest reads the same in both, or is refused.
import { PythonError } from '../../python-error.ts';

/** Ignores case. Throws Python's re.error. */
export function pythonPattern(pattern: string): RegExp {
  const [, flags = '', body = ''] = /^(?:\(\?([aimsux]+)\))?(.*)$/s.exec(pattern) ?? [];
  const source = body
    .replace(/\\(A|Z|.)/gs, (all, next) => (next === 'A' ? '^' : next === 'Z' ? '(?!.|\\n)' : all))
    .replace(/\(\?P<(\w+)>/g, '(?<$1>')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>');
  try {
    return new RegExp(source, `i${flags.includes('m') ? 'm' : ''}${flags.includes('s') ? 's' : ''}`);
  } catch (error) {
    throw new PythonError('error', (error as Error).message);
  }
}
