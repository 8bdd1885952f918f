// Schemas for lists and maps of outside data that stop at the first invalid element. zod continues to the last: a million invalid elements
// make a million issues and seconds of work, and some hundred thousand overflow the stack without an error. The casts are needed because a
// pipe's input type is that of its first half, which accepts anything.
import * as z from 'zod/mini';

/** Most issues reported for one element. */
const MOST_ISSUES = 10;

/** An enum whose output has type `T`; zod derives it only from a literal tuple. */
export const enumOf = <T extends string>(names: readonly T[]): z.ZodMiniType<T, T> =>
  z.enum(names as readonly [T, ...T[]]) as unknown as z.ZodMiniType<T, T>;

/** An array of at most `most` elements. Reports the issues of the first invalid one, with its place. */
export function listOf<T>(element: z.ZodMiniType<T>, most = Number.MAX_SAFE_INTEGER): z.ZodMiniType<T[]> {
  return z.pipe(
    z.custom<unknown[]>(Array.isArray, 'expected a list'),
    z.transform((items: unknown[], context) => {
      const taken: T[] = [];
      if (items.length > most) {
        context.issues.push({ code: 'custom', message: `${items.length} elements, ${most} are allowed`, input: items });
        return z.NEVER;
      }
      for (const [i, item] of items.entries()) {
        const parsed = element.safeParse(item);
        if (!parsed.success) {
          for (const { path, message } of parsed.error.issues.slice(0, MOST_ISSUES))
            context.issues.push({ code: 'custom', message, path: [i, ...path], input: item });
          return z.NEVER;
        }
        taken.push(parsed.data);
      }
      return taken;
    }),
  ) as z.ZodMiniType<T[]>;
}

/** An object as a map from names to values, with only its own properties, including `__proto__`. Stops like listOf. */
export function mapOf<T>(value: z.ZodMiniType<T>): z.ZodMiniType<Record<string, T>> {
  return z.pipe(
    z.custom<object>((given) => typeof given === 'object' && given !== null && !Array.isArray(given), 'expected a map'),
    z.transform((given: object, context) => {
      const taken: [string, T][] = [];
      for (const [key, item] of Object.entries(given)) {
        const parsed = value.safeParse(item);
        if (!parsed.success) {
          for (const { path, message } of parsed.error.issues.slice(0, MOST_ISSUES))
            context.issues.push({ code: 'custom', message, path: [key, ...path], input: item });
          return z.NEVER;
        }
        taken.push([key, parsed.data]);
      }
      return Object.fromEntries(taken);
    }),
  ) as z.ZodMiniType<Record<string, T>>;
}
