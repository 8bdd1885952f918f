// A template does what Jinja does, and no template, however it is written, takes more than its share of work.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { renderTemplate } from './bounded-template.ts';
import { renderChat } from './chat.ts';

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
  it.each(Object.entries(KINDS))('%s gives what it gives without one', (_, template) => {
    for (const messages of [turns(1), turns(5), turns(40, 'fünf ⭑')]) {
      const variables = { messages, add_generation_prompt: true };
      expect(renderTemplate(template, variables)).toBe(new Template(template).render(variables));
    }
  });

  it('may have a long conversation, and long turns', () => {
    for (const messages of [turns(2000, 'word '.repeat(20)), turns(4, 'word '.repeat(50_000))])
      for (const template of Object.values(KINDS).slice(0, 2))
        expect(renderTemplate(template, { messages, add_generation_prompt: true }).length).toBeGreaterThan(10);
  });

  it.each([
    ['a loop of twenty million', '{% for i in range(20000000) %}{% endfor %}', /range\(\) gives 20000000 items/],
    [
      'loops in loops',
      `${'{% for i in range(9999) %}'.repeat(3)}x${'{% endfor %}'.repeat(3)}`,
      /more than the \d+ steps/,
    ],
    [
      'loops in loops with nothing in them',
      '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}',
      /steps/,
    ],
    ['a list that doubles', `{% set a = [1] %}${'{% set a = a + a %}'.repeat(60)}`, /a value of it has|steps/],
    [
      'lists in lists that double',
      `{% set a = 'x' %}${'{% set a = [a, a] %}'.repeat(60)}{{ a }}`,
      /a value of it has|nested more than|steps/,
    ],
    ['a text that doubles', `{% set a = 'xx' %}${'{% set a = a ~ a %}'.repeat(60)}{{ a }}`, /a value of it has|steps/],
    [
      'replacements that multiply',
      `{% set a = 'aaaaaaaa' %}${'{% set a = a.replace("a", a) %}'.repeat(20)}{{ a }}`,
      /a value of it has|could make/,
    ],
    [
      'the same as a filter',
      `{% set a = 'aaaaaaaa' %}${'{% set a = a|replace("a", a) %}'.repeat(20)}{{ a }}`,
      /a value of it has|could make/,
    ],
    [
      'a filter over a block that multiplies',
      `{% set a = 'aaaaaaaa' %}${'{% set a %}{% filter replace("a", a) %}{{ a }}{% endfilter %}{% endset %}'.repeat(20)}{{ a }}`,
      /a value of it has|could make/,
    ],
    ['an indent of half a gigabyte', "{{ 'x\\ny'|indent(500000000) }}", /could make \d+ characters/],
    ['JSON indented by half a gigabyte', '{{ messages|tojson(indent=500000000) }}', /could make \d+ characters/],
    [
      'a macro that calls itself',
      '{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}',
      /steps|call stack|not a function/,
    ],
    ['a namespace in itself', `{% set n = namespace() %}{% set n.a = n %}{{ n|tojson }}`, /nested more than 100/],
    [
      'two namespaces in two, forty times',
      `{% set n = namespace(x=1) %}${'{% set m = namespace(a=n, b=n) %}{% set n = m %}'.repeat(40)}{{ n|tojson }}`,
      /a value of it has|steps/,
    ],
    ['a text in half a million pieces', "{{ messages[0].content.split('a')|length }}", /split\(\) gives \d+ items/],
    ['words without end', '{{ messages[0].content.split()|length }}', /split\(\) gives \d+ items/],
    ['a hundred thousand blanks', `{{ 1 }}${' '.repeat(100_000)}`, /more than 256 blanks in a row/],
    ['a hundred thousand parentheses', `{{ ${'('.repeat(100_000)} }}`, /call stack|Unexpected/],
    ['half a million characters', '{{ 1 }}'.repeat(80_000), /560000 characters, 131072 are allowed/],
    ['another kind of sorting', `{{ ([messages[0].content] + range(9999)|list)|sort|length }}`, /could make/],
  ])('is refused with a sentence for %s', (_, template, says) => {
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

  it('may loop as far as its steps go, on every machine alike', () => {
    const loops = (n: number) => `{% for i in range(9999) %}{% endfor %}`.repeat(n);
    expect(renderTemplate(loops(1), {})).toBe('');
    expect(() => renderTemplate(loops(2), {})).toThrow(/more than the \d+ steps/);
  });
});
