// Tests the arguments sent to a tool: null is sent only where its schema allows it, at any depth; and the validation of answers.
import { describe, expect, it } from 'vitest';
import type { Value, Values } from '../../value.ts';
import { Misfit, SchemaReader } from './json-schema.ts';

const object = (properties: Values, required: string[] = [], more: Values = {}): Values => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const TEXT = { type: 'string' };
const NULLABLE: [string, Value][] = [
  ['a list of types', { type: ['string', 'null'] }],
  ['anyOf', { anyOf: [TEXT, { type: 'null' }] }],
  ['oneOf', { oneOf: [{ type: 'null' }, { type: 'array', items: TEXT }] }],
  ['an enum', { enum: ['C', 'F', null] }],
  ['const', { const: null }],
  ['nullable', { type: 'string', nullable: true }],
  ['no type', { description: 'anything' }],
  ['true', true],
  ['a reference', { $ref: '#/$defs/N' }],
  ['allOf', { allOf: [{ type: ['string', 'null'] }, { description: 'x' }] }],
];
const NEVER: [string, Value][] = [
  ['a type', TEXT],
  ['a list of types', { type: ['string', 'integer'] }],
  ['anyOf', { anyOf: [TEXT, { type: 'integer' }] }],
  ['an enum', { enum: ['C', 'F'] }],
  ['const', { const: 'C' }],
  ['false', false],
  ['a reference', { $ref: '#/$defs/T' }],
  ['a reference to elsewhere', { $ref: 'https://example.org/schema' }],
  ['a reference to nothing', { $ref: '#/$defs/Nothing' }],
  ['allOf', { allOf: [{}, { type: 'string' }] }],
  ['a type that an enum with null narrows', { type: 'string', enum: ['C', null] }],
];
const $defs = { N: { type: ['integer', 'null'] }, T: TEXT };
const sent = (schema: Values, value: Value) => new SchemaReader({ ...schema, $defs }).withoutNulls(value);

describe('null in sent arguments', () => {
  /** A member `m`, its path, and the value with it and without it. */
  const PLACES: [string, (member: Value) => Values, Value, Value][] = [
    ['at the top', (m) => object({ a: TEXT, m }), { a: 'x', m: null }, { a: 'x' }],
    ['in an object', (m) => object({ o: object({ m }) }), { o: { m: null } }, { o: {} }],
    ['in a list', (m) => object({ l: { type: 'array', items: object({ m }) } }), { l: [{ m: null }] }, { l: [{}] }],
    ['in one of several forms', (m) => object({ o: { anyOf: [TEXT, object({ m })] } }), { o: { m: null } }, { o: {} }],
    ['among other members', (m) => object({}, [], { additionalProperties: m }), { m: null }, {}],
    [
      'in the form that its kind names',
      (m) =>
        object({
          o: {
            oneOf: [object({ kind: { const: 'a' }, m }, ['kind']), object({ kind: { const: 'b' }, m: {} }, ['kind'])],
          },
        }),
      { o: { kind: 'a', m: null } },
      { o: { kind: 'a' } },
    ],
  ];
  it.each(PLACES)('is sent if the schema allows it, and left out otherwise: %s', (_, schemaOf, given, without) => {
    for (const [how, member] of NULLABLE) expect(sent(schemaOf(member), given), how).toEqual(given);
    for (const [how, member] of NEVER) expect(sent(schemaOf(member), given), how).toEqual(without);
  });

  it.each<[string, Values, Value, string]>([
    ['a required member', object({ m: TEXT }, ['m']), { m: null }, 'm is null, and has to be string'],
    [
      'a required member of an object',
      object({ o: object({ m: { enum: ['C', 'F'] } }, ['m']) }),
      { o: { m: null } },
      'o.m is null, and has to be one of "C", "F"',
    ],
    [
      'an item',
      object({ l: { type: 'array', items: TEXT } }),
      { l: ['a', null] },
      'l[1] is null, and has to be string',
    ],
    [
      'an item of a list of places',
      object({ l: { prefixItems: [TEXT, TEXT] } }),
      { l: ['a', null] },
      'l[1] is null, and has to be string',
    ],
    [
      'a member that every form requires',
      object({ o: { anyOf: [object({ m: TEXT }, ['m']), object({ m: { type: 'integer' } }, ['m'])] } }),
      { o: { m: null } },
      'o.m is null',
    ],
  ])('is refused by the name of the field: %s', (_, schema, given, why) => {
    expect(() => sent(schema, given)).toThrow(Misfit);
    expect(() => sent(schema, given)).toThrow(why);
  });

  it('terminates for a schema that refers to itself, or multiplies', () => {
    const circle = { $defs: { A: { $ref: '#/$defs/A' } }, properties: { m: { $ref: '#/$defs/A' } } };
    expect(() => new SchemaReader(circle).withoutNulls({ m: null })).toThrow(/more than 500 deep/);
    const twice = (next: number) => ({ anyOf: [{ $ref: `#/$defs/${next}` }, { $ref: `#/$defs/${next}` }] });
    const defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [String(at), twice(at + 1)]));
    const wide = { $defs: { ...defs, 40: { type: 'string' } }, properties: { m: { $ref: '#/$defs/0' } } };
    expect(() => new SchemaReader(wide).withoutNulls({ m: null })).toThrow(/more than 200000 looks/);
    // A recursive schema is followed as deep as the value is.
    const tree = { $defs: { T: object({ m: TEXT, next: { $ref: '#/$defs/T' } }) }, $ref: '#/$defs/T' };
    expect(new SchemaReader(tree).withoutNulls({ m: null, next: { m: null, next: { m: 'x' } } })).toEqual({
      next: { next: { m: 'x' } },
    });
  });
});

describe('an answer', () => {
  const SCHEMA = object(
    {
      n: { type: 'integer' },
      unit: { enum: ['C', 'F'] },
      rows: { type: 'array', items: object({ id: TEXT }, ['id'], { additionalProperties: false }) },
    },
    ['n'],
  );
  it.each<[Value, string | null]>([
    [{ n: 36 }, null],
    [{ n: 36, unit: 'C', rows: [{ id: 'a' }], more: null }, null],
    [{}, 'n is missing'],
    [{ n: 3.5 }, 'n is 3.5, and has to be integer'],
    [{ n: '36' }, 'n is "36", and has to be integer'],
    [{ n: 1, unit: 'K' }, 'unit is "K", and has to be one of "C", "F"'],
    [{ n: 1, rows: [{ id: 'a' }, {}] }, 'rows[1].id is missing'],
    [{ n: 1, rows: [{ id: 'a', x: 1 }] }, 'rows[0].x has no place in the schema'],
    [[1], 'it is a list, and has to be object'],
  ])('%j is held against its schema', (value, why) => {
    const check = () => new SchemaReader(SCHEMA).check(value);
    if (why === null) check();
    else expect(check).toThrow(why);
  });
});
