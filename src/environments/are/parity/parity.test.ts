import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parsePythonJson } from '../python-json.ts';
import { plain } from '../value.ts';
import { compareClock, compareConditions, compareQueue, compareWaiting } from './core.ts';
import { compareActions, compareCheckers, compareParameters, compareRegistry, compareSchema } from './texts.ts';

const DIR = '../shared/are';
for (const [f, c] of [
  ['time_manager.json', compareClock],
  ['event_queue.json', compareQueue],
  ['condition_events.json', compareConditions],
  ['wait_for_notification.json', compareWaiting],
  ['parse_parameter_value.json', compareParameters],
  ['parse_action.json', compareActions],
  ['hard_checkers.json', compareCheckers],
  ['checker_registry.json', compareRegistry],
  ['exported_trace_schema.json', compareSchema],
] as const)
  it(f, () => {
    const text = readFileSync(`${DIR}/${f}`, 'utf8');
    const cases = c({ text, json: plain(parsePythonJson(text)) }, { classes: {}, text: () => undefined });
    expect(existsSync(DIR)).toBe(true);
    expect(cases.filter((x) => x.differences.length)).toEqual([]);
    expect(cases.length).toBeGreaterThan(2);
  });
