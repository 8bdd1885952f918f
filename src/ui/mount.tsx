// Puts the page of one lab into the document.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Lab } from '../store/page/lab-store.ts';
import { App } from './App.tsx';
import { LabContext } from './lab-context.ts';
import './styles/index.css';

export function mount(lab: Lab, root: HTMLElement): void {
  createRoot(root).render(
    <StrictMode>
      <LabContext value={lab}>
        <App />
      </LabContext>
    </StrictMode>,
  );
}
