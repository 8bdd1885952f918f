// Tests when a newer version of the lab is offered, and when it replaces the current one.
import { expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { LabState } from '../lab-state.ts';
import { createNotices } from '../notices.ts';
import { offerNewVersion } from './new-version.ts';

function page(busy: boolean) {
  const store = createStore(() => ({ busy, probing: false, notices: [] }) as unknown as LabState);
  const others: number[] = [];
  const takeOver = vi.fn(async () => others.shift() ?? 0);
  const reload = vi.fn();
  offerNewVersion(store, createNotices(store), { takeOver }, reload);
  const offers = () => store.getState().notices.filter(({ action }) => action?.label === 'Reload');
  const press = async () => {
    const [last] = offers().slice(-1);
    last.action?.run();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { store, others, takeOver, reload, offers, press };
}

it('is offered once, and is loaded when the user agrees', async () => {
  const { offers, press, takeOver, reload } = page(false);
  expect(offers()).toHaveLength(1);
  expect(takeOver).not.toHaveBeenCalled();
  await press();
  expect(reload).toHaveBeenCalledTimes(1);
});

it('waits until nothing is running, also if something started after the offer', async () => {
  const { store, offers, press, takeOver, reload } = page(true);
  expect(offers()).toHaveLength(0);
  store.setState({ busy: false, probing: true });
  expect(offers()).toHaveLength(0);
  store.setState({ probing: false });
  expect(offers()).toHaveLength(1);
  store.setState({ busy: true });
  await press();
  expect([takeOver.mock.calls.length, reload.mock.calls.length]).toEqual([0, 0]);
});

it('reports how many other pages prevent the update', async () => {
  const { store, others, press, reload } = page(false);
  others.push(2);
  await press();
  expect(reload).not.toHaveBeenCalled();
  expect(store.getState().notices.at(-1)?.message).toContain('2 other tabs');
  await press();
  expect(reload).toHaveBeenCalledTimes(1);
});
