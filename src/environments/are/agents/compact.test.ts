// The compact language: every action there and back, every text that is read the one of its action, and what it saves.
import { describe, expect, it } from 'vitest';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { generateScenario } from '../generate/generate.ts';
import { SPLITS } from '../generate/template.ts';
import { makeScenario } from '../scenario/import.ts';
import { type Arg, Float } from '../value.ts';
import { playOracle } from '../verifier/oracle-run.ts';
import { seededDraws } from '../world.ts';
import { argJson } from './arg-json.ts';
import { type CompactAction, CompactError, CompactLanguage } from './compact.ts';
import { agentTools } from './react/prompt.ts';

const { trace } = generateScenario({ split: 'execution', seed: 1, index: 0 });
const { apps } = makeScenario(trace, IMPORTABLE_CLASSES);
const language = new CompactLanguage(apps);
const send = (args: CompactAction['args']) => ({ app: 'Emails', tool: 'send_email', args });

describe('the compact language', () => {
  it('writes what is usual shortly', () => {
    const args = { recipients: ['ana@x.org', 'bo@x.org'], subject: 'Tea', content: 'At 3; or 4|5?' };
    expect(language.encode(send(args))).toBe('Emails.sen ana@x.org;bo@x.org|Tea|At 3\\s or 4\\p5?');
    expect(language.encode({ app: 'SystemApp', tool: 'wait_for_notification', args: { timeout: 5 } })).toBe(
      'SystemApp.w =5',
    );
    expect(language.encode({ app: 'SystemApp', tool: 'get_current_time', args: {} })).toBe('SystemApp.g');
    expect(language.encode({ app: 'Nowhere', tool: 'fly', args: { a: null } })).toBe(
      '!{"app":"Nowhere","tool":"fly","args":{"a":null}}',
    );
  });

  it('is a bijection on whatever arguments', () => {
    const draws = seededDraws(1, 'compact');
    const pick = <T>(items: readonly T[]): T => items[draws.randint(0, items.length - 1)] as T;
    const text = () =>
      Array.from({ length: draws.randint(0, 4) }, () =>
        pick(['a', '|', ';', '\\', '\n', '=', '+', '!', ' ', 'é', '\\e']),
      ).join('');
    const value = (depth = 0): Arg =>
      pick<() => Arg>([
        text,
        text,
        () => Array.from({ length: draws.randint(0, 3) }, text),
        () => pick<Arg>([null, true, 3, -2.5, new Float(4)]),
        () => (depth > 1 ? 0 : Object.fromEntries([[text(), value(depth + 1)]])),
        () => (depth > 1 ? [] : [value(depth + 1), value(depth + 1)]),
      ])();
    const tools = agentTools(apps);
    const seen = new Map<string, string>();
    for (let i = 0; i < 4000; i++) {
      const { app, tool } = pick(tools);
      const names = [...tool.params.map(({ name }) => name), ...(draws.random() < 0.1 ? ['other'] : [])];
      const given = names.filter(() => draws.random() < 0.7).map((name) => [name, value()] as const);
      const action = {
        app: app.name,
        tool: draws.random() < 0.05 ? 'fly' : tool.name,
        args: Object.fromEntries(given),
      };
      const written = language.encode(action);
      expect(written).not.toContain('\n');
      expect(language.decode(written)).toEqual(action);
      const whole = argJson(action as unknown as Arg, null);
      expect(seen.get(written) ?? whole).toBe(whole);
      seen.set(written, whole);
    }
  });

  it('has one text for an action: others are refused, and never another action', () => {
    const draws = seededDraws(2, 'compact');
    const whole = language.encode(send({ recipients: ['ana@x.org'], subject: 'Tea', content: '=5' }));
    for (let i = 0; i < 3000; i++) {
      const at = draws.randint(0, whole.length - 1);
      const odd = ['|', ';', '\\', '=', '+', '!', ' ', '{', 'e', ''][draws.randint(0, 9)];
      const changed = `${whole.slice(0, at)}${odd}${whole.slice(at + draws.randint(0, 2))}`;
      try {
        expect(language.encode(language.decode(changed))).toBe(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(CompactError);
      }
    }
    for (const text of [
      '',
      'Emails',
      'Emails.fly x',
      'Emails.sen a|',
      'Emails.send_email a',
      '!{}',
      '!5',
      'SystemApp.g a',
      'SystemApp.w = 5',
    ])
      expect(() => language.decode(text), text).toThrow(CompactError);
  });

  it('says what oracles of generated scenarios do in less than half of the characters', () => {
    let [short, long] = [0, 0];
    for (const split of SPLITS) {
      for (let index = 0; index < 12; index++) {
        const scenario = makeScenario(generateScenario({ split, seed: 5, index }).trace, IMPORTABLE_CLASSES);
        const own = new CompactLanguage(scenario.apps);
        for (const { type, action } of playOracle(scenario).log) {
          if (type !== 'AGENT' || action === null) continue;
          const { appName: app, functionName: tool, args } = action;
          const written = own.encode({ app, tool, args });
          expect(own.decode(written)).toEqual({ app, tool, args });
          short += written.length;
          long += argJson({ action: `${app}__${tool}`, action_input: args }, null).length;
        }
      }
    }
    expect(short / long).toBeLessThan(0.5);
  });
});
