// Reference renderings. They were made by Jinja2 3.1.6 on CPython 3.11 in an ImmutableSandboxedEnvironment with trim_blocks and
// lstrip_blocks, the extension loopcontrols, and the functions and the tag that transformers adds (its utils/chat_template_utils.py), with
// the clock set to 26 July 2024.

export const VARIABLES = {
  messages: [
    { role: 'system', content: 'Be "brief".' },
    { role: 'user', content: 'hi <b>' },
    { role: 'assistant', content: '<think>\n a\n</think>\n\n  yo\n' },
    { role: 'user', content: '  more \ud835\udcb3\n' },
  ],
  tools: null,
  add_generation_prompt: true,
  l: [3, 1, 2],
  d: { b: 1, a: [2, null, true], items: 'own', C: 1.5 },
  s: 'Hello, W\u00f6rld',
  tree: [
    {
      n: 1,
      c: [
        { n: 2, c: [] },
        { n: 3, c: [] },
      ],
    },
    { n: 4, c: [] },
  ],
};

/** Each case has its subject, the template, and the text that Jinja2 renders. */
export const CASES: readonly (readonly [kind: string, template: string, text: string])[] = [
  [
    'values as Python prints them',
    "{{ none }}{{ true }}{{ false }}{{ nope }}|{{ [none, true, 'a', 1.0, nope] }}",
    "NoneTrueFalse|[None, True, 'a', 1.0, Undefined]",
  ],
  [
    'values as Python prints them',
    '{{ 1.0 }} {{ 1e16 }} {{ 123456789012345.6 }} {{ 1e-5 }} {{ 0.0001 }} {{ -0.0 }} {{ 1_000 }} {{ 0x1f }} {{ 1e5 }}',
    '1.0 1e+16 123456789012345.6 1e-05 0.0001 -0.0 1000 31 100000.0',
  ],
  [
    'values as Python prints them',
    '{{ 123456789012345678901234567890 + 1 }} {{ 2 ** 64 }} {{ 9007199254740993 }}',
    '123456789012345678901234567891 18446744073709551616 9007199254740993',
  ],
  ['values as Python prints them', '{{ d }}', "{'b': 1, 'a': [2, None, True], 'items': 'own', 'C': 1.5}"],
  [
    'values as Python prints them',
    "{{ (1,) }}{{ () }}{{ (1, 'a') }}{{ {1: 'x', 2.5: none, (1, 2): []} }}",
    "(1,)()(1, 'a'){1: 'x', 2.5: None, (1, 2): []}",
  ],
  [
    'values as Python prints them',
    "{{ ['it\\'s', '\"', 'it\\'s \"', 'a\\n\\t\\\\', '\\x00\\x7f\\xa0\u00e9\ud835\udcb3\\u200b'] }}",
    "[\"it's\", '\"', 'it\\'s \"', 'a\\n\\t\\\\', '\\x00\\x7f\\xa0\u00e9\ud835\udcb3\\u200b']",
  ],
  [
    'values as Python prints them',
    '{{ d.keys() }}{{ d.values() }}{{ d.items() }}{{ range(3) }}{{ range(1, 7, 2) }}',
    "dict_keys(['b', 'a', 'items', 'C'])dict_values([1, [2, None, True], 'own', 1.5])dict_items([('b', 1), ('a', [2, None, True]), ('items', 'own'), ('C', 1.5)])range(0, 3)range(1, 7, 2)",
  ],
  ['values as Python prints them', "{{ namespace(a=1, b='x') }}", "<Namespace {'a': 1, 'b': 'x'}>"],
  [
    'values as Python prints them',
    "{{ {'a': 1, 'b': 2, 'a': 3} }}{{ {1: 'a', true: 'b'} }}",
    "{'a': 3, 'b': 2}{1: 'b'}",
  ],
  [
    'operators',
    '{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % -3 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 6 / 3 }} {{ 7 / 2 }} {{ 0.0 // -3 }}',
    '3 -4 -2 2 3.0 0.5 2.0 3.5 -0.0',
  ],
  [
    'operators',
    "{{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 'a' * 3 }}{{ 3 * [1] }}{{ (1,) * 2 }}{{ 'x' * -1 }}|",
    '64 4 aaa[1, 1, 1](1, 1)|',
  ],
  [
    'operators',
    "{{ 1 + true }} {{ 1 == 1.0 }} {{ true == 1 }} {{ 'a' == none }} {{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 != 2 != 1 }} {{ 9007199254740993 == 9007199254740992.0 }}",
    '2 True True False True False True False',
  ],
  ['operators', "{{ 'a' ~ 1 ~ none ~ 1.0 ~ nope ~ [1] }} {{ 1 ~ 2 + 3 if false else 'x' ~ 'y' }}", 'a1None1.0[1] xy'],
  [
    'operators',
    "{{ 'b' in 'abc' }} {{ 'k' in {'k': 1} }} {{ 1 in [1.0] }} {{ 'x' not in ['x'] }} {{ 1 in nope }} {{ not 1 in [2] }}",
    'True True True False False True',
  ],
  [
    'operators',
    "{{ [1, 2] < [1, 3] }} {{ (1, 'a') < (1, 'b') }} {{ [1] == (1,) }} {{ 'Z' < 'a' }} {{ '\\uffff' < '\ud835\udcb3' }} {{ {'a': 1} == {'a': 1.0} }}",
    'True True False True True True',
  ],
  ['operators', "{{ 0 or '' or [] or 'end' }}{{ 1 and 'x' }}{{ none and 1 }}", 'endxNone'],
  [
    'operators',
    "{{ -3|abs }} {{ (-3)|abs }} {{ 3 is odd and 4 is even }} {{ 'a' if nope }}|{{ 'a' if false else 'b' if true else 'c' }}",
    '3 3 True |b',
  ],
  [
    'operators',
    "{{ '%s|%5.2f|%-4d|%03d|%x|%r|%%' % ('a', 2.675, 7, 5, 255, 'q') }} {{ '%(k)s' % {'k': 1} }} {{ '%e %g %g' % (12345.678, 0.00001, 1e10) }}",
    "a| 2.67|7   |005|ff|'q'|% 1 1.234568e+04 1e-05 1e+10",
  ],
  [
    'undefined',
    "{{ nope is defined }}{{ nope is undefined }}{{ nope is none }}{{ nope == nope }}{{ nope|length }}{{ nope|list }}{{ nope|join(',') }}|",
    'FalseTrueFalseTrue0[]|',
  ],
  [
    'undefined',
    "{{ tools is none }}{{ tools is not none }}{{ tools is defined }}{{ tools|default('x') }}{{ tools|default('x', true) }}{{ nope|default }}|",
    'TrueFalseTrueNonex|',
  ],
  [
    'undefined',
    "{{ d.zz }}|{{ d['zz'] }}|{{ none.x }}|{{ l[9] is defined }}|{{ l['a'] }}|{{ messages[0].nope is defined }}",
    '|||False||False',
  ],
  ['undefined', '{% for x in nope %}a{% else %}none{% endfor %}', 'none'],
  [
    'undefined',
    '{{ l.append is defined }}{{ d.pop is defined }}{{ d.items() is defined }}{{ s.__class__ is defined }}',
    'FalseFalseTrueFalse',
  ],
  [
    'elements',
    '{{ messages[-2].role }}{{ l[::-1] }}{{ s[1:4] }}{{ s[-3:] }}{{ s[::2] }}{{ s[9:2:-2] }}{{ l[-99:2] }}{{ (1, 2, 3)[1:] }}',
    'assistant[2, 1, 3]ellrldHlo \u00f6lrW,l[3, 1](2, 3)',
  ],
  [
    'elements',
    "{{ '\ud835\udcb3y\ud835\udcb3'[0] }}{{ '\ud835\udcb3y\ud835\udcb3'[1] }}{{ '\ud835\udcb3y\ud835\udcb3'[::-1] }}{{ '\ud835\udcb3y\ud835\udcb3'|length }}{{ '\ud835\udcb3y\ud835\udcb3'[1:] }}",
    '\ud835\udcb3y\ud835\udcb3y\ud835\udcb33y\ud835\udcb3',
  ],
  [
    'elements',
    "{{ d.items() | list | length }}{{ d['items'] }}{{ d.get('a') }}{{ d.get('z') }}{{ d.get('z', 0) }}{{ l.1 }}{{ {'a': {'b': 5}}.a.b }}{{ l[true] }}",
    '4own[2, None, True]None0151',
  ],
  ['elements', '{{ range(5)[2] }}{{ range(5)[-1] }}{{ l.index(1) }}{{ l.count(3) }}', '2411'],
  [
    'methods of str',
    "{{ '\\n\\n  x'.lstrip('\\n') }}|{{ 'xxabcxx'.strip('x') }}|{{ 'abcab'.rstrip('ab') }}|{{ ' \\x1c x\\ufeff '.strip() }}|{{ '\ud835\udcb3a\ud835\udcb3'.strip('\ud835\udcb3') }}|{{ 'x'.strip('') }}",
    '  x|abc|abc|x\ufeff|a|x',
  ],
  [
    'methods of str',
    "{{ 'a,b,,c'.split(',') }}{{ 'a,b,,c'.split(',', 1) }}{{ ' a  b '.split() }}{{ ' a  b c '.split(none, 1) }}{{ 'a'.split(maxsplit=0) }}",
    "['a', 'b', '', 'c']['a', 'b,,c']['a', 'b']['a', 'b c ']['a']",
  ],
  [
    'methods of str',
    "{{ 'a,b,,c'.rsplit(',', 1) }}{{ ' a b  c '.rsplit(none, 1) }}{{ 'aaa'.rsplit('aa', 1) }}{{ ''.split() }}{{ ''.split(',') }}",
    "['a,b,', 'c'][' a b', 'c']['a', ''][]['']",
  ],
  [
    'methods of str',
    "{{ 'a\\nb\\r\\nc\\x0bd\\x85e\\u2028f\\x1cg\\n'.splitlines() }}{{ 'a\\nb\\n'.splitlines(true) }}",
    "['a', 'b', 'c', 'd', 'e', 'f', 'g']['a\\n', 'b\\n']",
  ],
  [
    'methods of str',
    "{{ 'k=v=w'.partition('=') }}{{ 'k=v=w'.rpartition('=') }}{{ 'kv'.rpartition('=') }}",
    "('k', '=', 'v=w')('k=v', '=', 'w')('', '', 'kv')",
  ],
  [
    'methods of str',
    "{{ 'aaa'.replace('a', 'b', 2) }}{{ 'ab'.replace('', '-') }}{{ 'ab'.replace('', '-', 2) }}{{ 'aaa'.count('aa') }}{{ 'ab'.count('') }}",
    'bba-a-b--a-b13',
  ],
  [
    'methods of str',
    "{{ 'abc'.startswith(('x', 'a')) }}{{ 'abc'.startswith('b', 1) }}{{ 'abc'.endswith('b', 0, -1) }}{{ 'abc'.find('c') }}{{ 'abc'.find('z') }}{{ '\ud835\udcb3bc'.find('c') }}{{ 'abab'.rfind('ab') }}{{ 'abab'.index('b', 2) }}{{ 'abc'.find('', 9) }}",
    'TrueTrueTrue2-1223-1',
  ],
  [
    'methods of str',
    "{{ 'hELLO wORLD it\\'s'.title() }}|{{ 'hELLO wORLD'.capitalize() }}|{{ '\u00df \u0391\u03a3 \u0130'.upper() }}|{{ '\u0391\u03a3 \u03a3\u0391'.lower() }}|{{ '\u0391\u03a3'.capitalize() }}|{{ '\ufb01'.capitalize() }}|{{ '\u10d0'.capitalize() }}",
    "Hello World It'S|Hello world|SS \u0391\u03a3 \u0130|\u03b1\u03c2 \u03c3\u03b1|\u0391\u03c2|Fi|\u10d0",
  ],
  [
    'methods of str',
    "{{ 'a'.center(4, '*') }}{{ 'ab'.center(5, '*') }}{{ 'a'.ljust(3) }}{{ 'a'.rjust(3, '-') }}{{ '-5'.zfill(4) }}{{ 'a\\tb'.expandtabs(4) }}",
    '*a****ab*a  --a-005a   b',
  ],
  [
    'methods of str',
    "{{ 'x1'.isalnum() }}{{ '\u00b2'.isdigit() }}{{ '\u00b2'.isdecimal() }}{{ ''.isalpha() }}{{ ' \\x1f'.isspace() }}{{ '\\ufeff'.isspace() }}{{ 'aB'.islower() }}{{ 'AB1'.isupper() }}{{ '\u00e9'.isascii() }}",
    'TrueTrueFalseFalseTrueFalseFalseTrueFalse',
  ],
  [
    'methods of str',
    "{{ 'abc'.removeprefix('a') }}{{ 'abc'.removesuffix('c') }}{{ '-'.join(['a', 'b']) }}{{ '{} {0} {a!r}'.format(1, a='x') if false else '{}-{a!r}'.format(1, a='x') }}",
    "bcaba-b1-'x'",
  ],
  [
    'filters over texts',
    "{{ s|upper }}{{ s|lower }}{{ 'hELLO'|capitalize }}{{ 'hello wORLD-foo (bar) it\\'s'|title }}",
    "HELLO, W\u00d6RLDhello, w\u00f6rldHelloHello World-Foo (Bar) It's",
  ],
  [
    'filters over texts',
    "{{ ' x\\ufeff ' | trim }}|{{ 'xax'|trim('x') }}|{{ 1|string + 'a' }}|{{ none|trim }}|{{ 'abcdef' | truncate(3) }}|{{ 'ab cd ef gh ij'|truncate(9, false, '...', 0) }}|{{ 'abcdefghij'|truncate(5, true, '.', 0) }}",
    'x\ufeff|a|1a|None|abcdef|ab cd...|abcd.',
  ],
  [
    'filters over texts',
    "{{ 'a\\nb\\n\\nc'|indent }}|{{ 'a\\n\\nb\\n'|indent(2, true, true) }}|{{ 'a\\r\\nb'|indent('> ') }}",
    'a\n    b\n\n    c|  a\n  \n  b\n  |a\n> b',
  ],
  [
    'filters over texts',
    "{{ 'aXa'|replace('a', 'b', 1) }}{{ 12|replace(1, 3) }}{{ 'a b_c'|wordcount }}{{ 'a'|center(5) }}|{{ '%s-%s'|format(1, 'b') }}",
    'bXa322  a  |1-b',
  ],
  [
    'filters over texts',
    "{{ '<a href=\"x\">&\\'</a>'|e }}{{ '<b>'|safe }}{{ '<b>'|e ~ '<' }}{{ '<b>'|safe + '<' }}",
    '&lt;a href=&#34;x&#34;&gt;&amp;&#39;&lt;/a&gt;<b>&lt;b&gt;<<b>&lt;',
  ],
  [
    'filters over texts',
    "{{ '42'|int }} {{ ' 4_2 '|int }} {{ '4.7'|int }} {{ 'x'|int }} {{ 'x'|int(9) }} {{ '0x1f'|int(0, 16) }} {{ '1f'|int(base=16) }} {{ -3.7|int }} {{ none|int }} {{ true|int }} {{ '1e3'|float }} {{ 'x'|float }} {{ '.5'|float }} {{ 3|float }} {{ 'inf'|float }}",
    '42 42 4 0 9 31 31 -3 0 1 1000.0 0.0 0.5 3.0 inf',
  ],
  [
    'filters over texts',
    "{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 42|round }} {{ 42.55|round(1, 'floor') }} {{ 42.1|round(method='ceil') }} {{ 1234|round(-2) }} {{ 1250|round(-2) }} {{ -0.4|round }}",
    '2.0 4.0 2.67 42 42.5 43.0 1200 1200 -0.0',
  ],
  [
    'JSON',
    "{{ [1.0, 2, 1e16, true, none, 'a\"\\\\\\n\\x01\\x7f\u00e9\\u2028</'] | tojson }}",
    '[1.0, 2, 1e+16, true, null, "a\\"\\\\\\n\\u0001\u007f\u00e9\u2028</"]',
  ],
  [
    'JSON',
    '{{ d|tojson }}|{{ d|tojson(indent=2) }}|{{ {}|tojson(indent=2) }}{{ []|tojson(indent=2) }}|{{ [1]|tojson(indent=0) }}',
    '{"b": 1, "a": [2, null, true], "items": "own", "C": 1.5}|{\n  "b": 1,\n  "a": [\n    2,\n    null,\n    true\n  ],\n  "items": "own",\n  "C": 1.5\n}|{}[]|[\n1\n]',
  ],
  [
    'JSON',
    "{{ {'b': 1, 'a': '\u00e9\ud835\udcb3', 'Z': []}|tojson(sort_keys=true, ensure_ascii=true) }}{{ {'b': [1, 2]}|tojson(separators=(',', ':')) }}{{ {1: 2, none: 3, 1.5: 4, true: 5}|tojson }}",
    '{"Z": [], "a": "\\u00e9\\ud835\\udcb3", "b": 1}{"b":[1,2]}{"1": 5, "null": 3, "1.5": 4}',
  ],
  [
    'JSON',
    "{{ '\u00e9'|tojson(true) }}{{ (1, 2)|tojson }}{{ 'x'|tojson|length }}{{ [1, [2]]|tojson(indent='\\t') }}",
    '"\\u00e9"[1, 2]3[\n\t1,\n\t[\n\t\t2\n\t]\n]',
  ],
  [
    'filters over elements',
    "{{ [3, 1, 2]|sort }}{{ ['b', 'A', 'c', 'B']|sort }}{{ ['b', 'A', 'c', 'B']|sort(case_sensitive=true) }}{{ ['b', 'A', 'c', 'B']|sort(reverse=true) }}{{ messages|sort(attribute='role,content')|map(attribute='content')|list }}",
    "[1, 2, 3]['A', 'b', 'B', 'c']['A', 'B', 'b', 'c']['c', 'b', 'B', 'A']['<think>\\n a\\n</think>\\n\\n  yo\\n', 'Be \"brief\".', '  more \ud835\udcb3\\n', 'hi <b>']",
  ],
  [
    'filters over elements',
    "{{ messages|map(attribute='role')|join(',') }}|{{ messages|selectattr('role', 'equalto', 'user')|list|length }}|{{ messages|rejectattr('role', 'in', ['user'])|map(attribute='role')|list }}|{{ ['a', '', none]|select|list }}{{ [1, 2, 3]|reject('odd')|list }}|{{ [1, 'a']|map('string')|list }}{{ [{'a': 1}, {}]|map(attribute='a', default='-')|list }}",
    "system,user,assistant,user|2|['system', 'assistant']|['a'][2]|['1', 'a'][1, '-']",
  ],
  [
    'filters over elements',
    "{{ ['a', none, 1.5]|join(',') }}{{ messages|join('-', attribute='role') }}{{ l|first }}{{ l|last }}{{ []|first }}|{{ l|sum }}{{ [1.5, 2]|sum }}{{ tree|sum(attribute='n') }}{{ l|max }}{{ l|min }}{{ ['b', 'A']|min }}{{ [1.0, 1]|max }}",
    'a,None,1.5system-user-assistant-user32|63.5531A1.0',
  ],
  [
    'filters over elements',
    "{{ ['a', 'A', 'b']|unique|list }}{{ [1, 1.0, true, '1']|unique|list }}{{ 'abc'|reverse }}{{ l|reverse|list }}{{ 'ab'|list }}{{ d|list }}{{ [1, 2, 3]|batch(2, 0)|list }}{{ [1, 2, 3, 4, 5]|slice(3, 'x')|list }}",
    "['a', 'b'][1, '1']cba[2, 1, 3]['a', 'b']['b', 'a', 'items', 'C'][[1, 2], [3, 0]][[1, 2], [3, 4], [5, 'x']]",
  ],
  [
    'filters over elements',
    "{{ d|dictsort }}{{ {'b': 2, 'a': 3}|dictsort(by='value', reverse=true) }}{{ {'a': 1}|items|list }}{% for role, rows in messages|groupby('role') %}{{ role }}{{ rows|length }}{% endfor %}{{ (messages|groupby('role'))[0].grouper }}",
    "[('a', [2, None, True]), ('b', 1), ('C', 1.5), ('items', 'own')][('a', 3), ('b', 2)][('a', 1)]assistant1system1user2assistant",
  ],
  [
    'filters over elements',
    "{% set g = l|map('string') %}{% for x in g %}{{ x }}{{ loop.length }}{{ loop.last }};{% endfor %}{% for x in g %}again{% else %}gone{% endfor %}",
    '33False;13False;23True;gone',
  ],
  [
    'tests',
    "{{ 1 is number }}{{ true is number }}{{ true is integer }}{{ 1.0 is float }}{{ 1 is integer }}{{ '1' is number }}{{ none is string }}",
    'TrueTrueFalseTrueTrueFalseFalse',
  ],
  [
    'tests',
    '{{ d is mapping }}{{ l is mapping }}{{ l is sequence }}{{ d is sequence }}{{ s is iterable }}{{ 1 is iterable }}{{ d.items() is sequence }}{{ nope is iterable }}{{ range is callable }}',
    'TrueFalseTrueTrueTrueFalseFalseTrueTrue',
  ],
  [
    'tests',
    "{{ 4 is divisibleby 2 }}{{ 'a' is in ['a'] }}{{ 1 is sameas true }}{{ none is sameas none }}{{ 3 is gt 2 }}{{ 'a' is eq 'a' }}{{ 'trim' is filter }}{{ 'odd' is test }}{{ 'ab' is lower }}{{ 1 is not none }}{{ true is true }}{{ 1 is true }}{{ false is boolean }}",
    'TrueTrueFalseTrueTrueTrueTrueTrueTrueTrueTrueFalseTrue',
  ],
  [
    'loops',
    "{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem is defined }}>{{ (loop.nextitem or {'role': 'end'}).role }};{% endfor %}",
    '104TrueFalse4False>user;213FalseFalse4True>assistant;322FalseFalse4True>user;431FalseTrue4True>end;',
  ],
  [
    'loops',
    "{% for x in l %}{{ loop.cycle('a', 'b') }}{{ loop.changed(x > 1) }}{{ loop }}{% endfor %}",
    'aTrue<LoopContext 1/3>bTrue<LoopContext 2/3>aTrue<LoopContext 3/3>',
  ],
  [
    'loops',
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for k in d %}{{ k }}{% endfor %}{% for c in 'a\ud835\udcb3' %}[{{ c }}]{% endfor %}{% for (a, b), c in [[(1, 2), 3]] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
    'b=1;a=[2, None, True];items=own;C=1.5;baitemsC[a][\ud835\udcb3]123',
  ],
  [
    'loops',
    '{% for x in l if x > 1 %}{{ x }}{{ loop.index }}/{{ loop.length }} {% endfor %}{% for x in [] %}{% else %}none{% endfor %}{% for x in [1] %}{% break %}{% else %}broken{% endfor %}{% for x in l %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}',
    '31/2 22/2 nonebroken32',
  ],
  [
    'loops',
    '{% for n in tree recursive %}{{ loop.depth }}:{{ n.n }}({{ loop(n.c) }}){% endfor %}',
    '1:1(2:2()2:3())1:4()',
  ],
  [
    'loops',
    '{% for a in [1, 2] %}{% for b in [] %}{% else %}{% if a == 1 %}{% continue %}{% endif %}{% endfor %}{{ a }}{% endfor %}',
    '2',
  ],
  [
    'scopes',
    '{% set x = 1 %}{% for i in l %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}{% if true %}{% set x = 9 %}{% endif %}{{ x }}',
    '13111219',
  ],
  [
    'scopes',
    "{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}{{ ns.z }}|{{ ns['n'] }}",
    '6|6',
  ],
  ['scopes', '{% for m in l %}{{ tools is defined }}{% endfor %}{% set tools = 1 %}{{ tools }}', 'FalseFalseFalse1'],
  [
    'scopes',
    '{% if false %}{% set tools = 1 %}{% endif %}{{ tools }}{% set a, b = 1, 2 %}{{ a + b }}{% set y %} t {{ a }}{% set a = 5 %}{% endset %}{{ y }}{{ a }}{% set z | upper | trim %} q {% endset %}{{ z }}',
    'None3 t 11Q',
  ],
  [
    'scopes',
    "{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}|{% filter upper %}a{{ 'b' }}{% endfilter %}",
    '3|AB',
  ],
  [
    'scopes',
    "{% macro f(x, y=x, z='d') %}{{ x }}{{ y }}{{ z }};{% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(y=3, x=4) }}{{ f() }}{{ f(*[7, 8], **{'z': 9}) }}",
    '11d;12d;43d;d;789;',
  ],
  [
    'scopes',
    '{% macro f() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, a=2) }}{% macro g(x) %}<{{ caller(x) }}>{% endmacro %}{% call(v) g(5) %}v{{ v }}{% endcall %}',
    "(1,){'a': 2}<v5>",
  ],
  [
    'scopes',
    "{% macro f() %}{{ x is defined }}{% endmacro %}{% for i in [1] %}{% set x = 1 %}{{ f() }}{% endfor %}{% macro h() %}{{ w }}{% endmacro %}{% set w = 'late' %}{{ h() }}",
    'Falselate',
  ],
  [
    'scopes',
    "{% generation %}a{{ 1 }}{% set q = 2 %}{% endgeneration %}{{ q }}|{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set j = joiner('|') %}{{ j() }}x{{ j() }}y{{ dict(a=1, **{'b': 2}) }}",
    "a1|abax|y{'a': 1, 'b': 2}",
  ],
  ['white space', 'a\n  {% if true %}\n  b\n  {% endif %}\nc\n', 'a\n  b\nc'],
  ['white space', 'a  {%- if true -%}  b  {%- endif %}  c', 'ab  c'],
  ['white space', '  {%+ if true %}\nx{% endif +%}\ny', '  x\ny'],
  ['white space', '{{ 1 }}\n{{ 2 -}}\n  {{- 3 }} 4\n\n', '1\n23 4\n'],
  ['white space', '  {# c #}\n x {#- d -#} y{# e +#}\nz', ' xy\nz'],
  ['white space', '{% raw %}{{ x }}{% if %}{% endraw %}|{%- raw -%}  a  {%- endraw -%}  b', '{{ x }}{% if %}|ab'],
  ['white space', "a\r\nb\rc{{ 'x\r\ny' }}\r\n", 'a\nb\ncx\ny'],
  ['white space', "{{ {'a': {'b': 1}}}}|{{ '}}' }}{{ '%}' }}{{ \"{#\" }}", "{'a': {'b': 1}}|}}%}{#"],
  ['white space', '-}\n{% if true -%}\n\n x\n\n{%- endif %}\t\n', '-}\nx\t'],
  [
    'white space',
    "{{ 'a'\n  ~ 'b' 'c' }}{%if true%}x{%endif%}{{'\\x41\\u00e9\\U0001d4b3\\101\\q\\\n'}}",
    'abcxA\u00e9\ud835\udcb3A\\q',
  ],
  [
    'the clock',
    "{{ strftime_now('%d %b %Y') }}|{{ strftime_now('%Y-%m-%d') }}|{{ strftime_now('%A, %B %-d, %Y') }}|{{ strftime_now(format='%H:%M:%S %p %j %U %W %V %y %e %a %I %u %w%%') }}|{{ strftime_now('%F %T %D %R %c') }}|{{ strftime_now('%-m/%_d/%^a %k %l') }}",
    '26 Jul 2024|2024-07-26|Friday, July 26, 2024|00:00:00 AM 208 29 30 30 24 26 Fri 12 5 5%|2024-07-26 00:00:00 07/26/24 00:00 Fri Jul 26 00:00:00 2024|7/26/FRI  0 12',
  ],
];
