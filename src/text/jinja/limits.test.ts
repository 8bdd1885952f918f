// Tests that costly templates are refused and that templates of ordinary cost pass.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { renderChat } from '../chat.ts';
import { renderTemplate } from './template.ts';

const turns = (count: number, text = 'a b') =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${text} ${i}` }));

const KINDS: Record<string, string> = {
  'of one loop':
    "{%- for m in messages %}{{ '<' + m.role + '>' + m.content | trim + '\\n' }}{% endfor %}{% if add_generation_prompt %}>{% endif %}",
  'with a namespace, slices and methods':
    "{%- set ns = namespace(last=messages|length - 1, seen='') %}{%- for m in messages[::-1] %}{%- set i = (messages|length - 1) - loop.index0 %}{% if ns.seen == '' and m.role == 'user' and not(m.content.startswith('<t>') and m.content.endswith('</t>')) %}{% set ns.seen = m.content.split(' ')[0].lstrip('\\n') %}{% set ns.last = i %}{% endif %}{% endfor %}{{ ns.seen }}{{ ns.last }}{{ messages[ns.last].content|replace('a', 'xyz')|upper }}",
  'with macros, filters and breaks':
    "{% macro say(m, mark='#') %}{{ mark }}{{ m.role|title }}{% endmacro %}{% for m in messages %}{% if loop.index > 3 %}{% break %}{% endif %}{{ say(m) }}{{ say(m, mark='!') }}{% endfor %}{% filter upper %}tail {{ messages|length }}{% endfilter %}{{ messages[0]|tojson(indent=2) }}{{ ['x', 'y']|join(', ') }}{{ range(3)|list }}{{ range(7, 1, -2)|list }}",
};

describe('a template under a limit', () => {
  it('can render a conversation of many turns and one of long turns', () => {
    for (const messages of [turns(2000, 'word '.repeat(20)), turns(4, 'word '.repeat(50_000))])
      for (const template of Object.values(KINDS))
        expect(renderTemplate(template, { messages, add_generation_prompt: true }).length).toBeGreaterThan(10);
  });

  it.each([
    [
      'a loop of twenty million iterations',
      '{% for i in range(20000000) %}{% endfor %}',
      /range\(\) gives 20000000 items/,
    ],
    [
      'nested loops',
      `${'{% for i in range(9999) %}'.repeat(3)}x${'{% endfor %}'.repeat(3)}`,
      /more than the \d+ steps/,
    ],
    ['empty nested loops', '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}', /steps/],
    [
      'a list that doubles',
      `{% set a = [1] %}${'{% set a = a + a %}'.repeat(60)}`,
      /a sum of lists gives 131072 items/,
    ],
    [
      'nested lists that double',
      `{% set a = 'x' %}${'{% set a = [a, a] %}'.repeat(60)}{{ a }}`,
      /a value of it has|nested more than|steps/,
    ],
    ['a text that doubles', `{% set a = 'xx' %}${'{% set a = a ~ a %}'.repeat(60)}{{ a }}`, /a value of it has|steps/],
    [
      'a text that grows by repeated replace()',
      `{% set a = 'aaaaaaaa' %}${'{% set a = a.replace("a", a) %}'.repeat(20)}{{ a }}`,
      /a value of it has|could make/,
    ],
    [
      'a text that grows by the filter replace',
      `{% set a = 'aaaaaaaa' %}${'{% set a = a|replace("a", a) %}'.repeat(20)}{{ a }}`,
      /a value of it has|could make/,
    ],
    [
      'a text that grows by a filter over a block',
      `{% set a = 'aaaaaaaa' %}${'{% set a %}{% filter replace("a", a) %}{{ a }}{% endfilter %}{% endset %}'.repeat(20)}{{ a }}`,
      /a value of it has|could make/,
    ],
    ['an indent of half a gigabyte', "{{ 'x\\ny'|indent(500000000) }}", /could make \d+ characters/],
    ['JSON indented by half a gigabyte', '{{ messages|tojson(indent=500000000) }}', /could make \d+ characters/],
    [
      'a macro that calls itself',
      '{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}',
      /nested more than 400 deep as it runs/,
    ],
    ['a namespace that contains itself', `{% set n = namespace() %}{% set n.a = n %}{{ n }}`, /nested more than 100/],
    [
      'namespaces nested forty deep, each containing the next one twice',
      `{% set n = namespace(x=1) %}${'{% set m = namespace(a=n, b=n) %}{% set n = m %}'.repeat(40)}{{ n }}`,
      /a value of it has|steps/,
    ],
    ['a text in half a million pieces', "{{ messages[0].content.split('a')|length }}", /split\(\) gives \d+ items/],
    ['a text split into too many words', '{{ messages[0].content.split()|length }}', /split\(\) gives \d+ items/],
    [
      'a hundred thousand parentheses',
      `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`,
      /line 1: nested more than 100 deep/,
    ],
    ['half a million characters', '{{ 1 }}'.repeat(80_000), /560000 characters, 131072 are allowed/],
    ['sorting long texts', `{{ ([messages[0].content] * 9999)|sort|length }}`, /steps/],
    [
      'a sum of thirty thousand terms',
      `{{ 1${' + 1'.repeat(30_000)} }}`,
      /an expression of it is nested more than 400 deep/,
    ],
    ['deeply nested blocks', '{% if 1 %}'.repeat(10_000), /nested more than 100 deep/],
    ['a huge power', '{{ 9 ** 99 ** 99 }}', /a whole number of it has more than 16384 bits/],
    ['a number of 100,000 digits', `{{ ${'9'.repeat(100_000)} }}`, /a number of too many digits/],
    [
      'a number with more digits than Python prints',
      '{{ 10 ** 4900 }}',
      /more than the 4300 digits that Python prints/,
    ],
    ['a text repeated a billion times', "{{ 'ab' * 1000000000 }}", /could make 2000000000 characters/],
    ['a list repeated a billion times', '{{ [1] * 1000000000 }}', /a repeated list gives 1000000000 items/],
    ['padding to a width of a billion', "{{ 'a'.ljust(1000000000) }}", /could make 1000000000 characters/],
    ['a format with a width of a billion', "{{ '%1000000000d' % 1 }}", /a format of 1000000000\. is not supported/],
    ['batches padded to a billion items', '{{ [1]|batch(1000000000, 0)|list }}', /batch\(\) gives 999999999 items/],
    ['tabs expanded to a billion characters', "{{ '\t\t'.expandtabs(1000000000) }}", /could make \d+ characters/],
    [
      'repeated searches for a long pattern that almost matches',
      "{% set t = messages[0].content|replace(' ', '')|replace('b', 'a') %}{% set p = t[:99999] ~ 'b' %}{% for i in range(999) %}{{ t.find(p) }}{% endfor %}",
      /steps/,
    ],
    [
      'a macro called in its own default argument',
      '{% macro f(x=f()) %}{% endmacro %}{{ f() }}',
      /nested more than 400 deep/,
    ],
    [
      'endless recursion of a loop',
      '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}',
      /nested more than 400 deep/,
    ],
  ])('is refused with a reason: %s', (_, template, says) => {
    const messages = [{ role: 'user', content: 'a b '.repeat(/content/.test(template) ? 100_000 : 10) }] as const;
    let error: unknown;
    try {
      renderChat(messages, template, {}, 'models/x');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(FormatError);
    expect((error as FormatError).message).toMatch(/^models\/x: its chat template cannot be rendered \(/);
    expect((error as FormatError).message).toMatch(says);
    expect((error as FormatError).message.length).toBeLessThan(500);
  });

  it('may have much white space, and long chains that are not nested', () => {
    expect(renderTemplate(`{{ 1 -}}${' '.repeat(100_000)}x`, {})).toBe('1x');
    expect(renderTemplate(`{{ 'a'${" ~ 'b'".repeat(5000)} }}`, {})).toHaveLength(5001);
    expect(renderTemplate(`{% if 0 %}${'{% elif 0 %}'.repeat(5000)}{% else %}x{% endif %}`, {})).toBe('x');
  });

  it('may loop until its steps are used up, which are counted alike on every machine', () => {
    const loops = (n: number) => `{% for i in range(9999) %}{% endfor %}`.repeat(n);
    expect(renderTemplate(loops(1), {})).toBe('');
    expect(() => renderTemplate(loops(2), {})).toThrow(/more than the \d+ steps/);
  });
});
