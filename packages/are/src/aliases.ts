// Other names of the reference's app classes. Rules for a class hold for its aliases too.

export const APP_ALIASES: Readonly<Record<string, readonly string[]>> = {
  EmailClientApp: ['EmailClientV2', 'Mail', 'Emails'],
  ApartmentListingApp: ['RentAFlat'],
  ContactsApp: ['Contacts'],
  MessagingApp: [],
  MessagingAppV2: ['Messages', 'Chats'],
  CalendarApp: ['Calendar'],
  ShoppingApp: ['Shopping'],
  CabApp: ['Cabs'],
  SandboxLocalFileSystem: ['Files'],
};

/** Copies a table by class, with an entry for each alias. */
export function withAliases<T>(byClass: Readonly<Record<string, T>>): Map<string, T> {
  const table = new Map(Object.entries(byClass));
  for (const [name, value] of Object.entries(byClass)) {
    for (const alias of Object.hasOwn(APP_ALIASES, name) ? (APP_ALIASES[name] ?? []) : []) table.set(alias, value);
  }
  return table;
}
