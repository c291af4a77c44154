import { useState } from "preact/hooks";

const SHOWN_MS = 1500;

/** Copies a text, and says so. Where pages may not copy, which is on plain HTTP beyond this machine, there is none. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  if (!("clipboard" in navigator)) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button type="button" class="small quiet" onClick={() => void copy().catch(() => {})}>
      <span aria-live="polite">{isCopied ? "Copied" : label}</span>
    </button>
  );
}
