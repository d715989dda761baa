// The response to a refused form is the page for visitors without script; only its errors are taken over.

/** Returns the sentences about files or the whole form. */
export function showRefusal(form: HTMLFormElement, html: string): { sentences: string[]; isExplained: boolean } {
  const answer = new DOMParser().parseFromString(html, 'text/html');
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('.field [name]')) {
    const labelled = answer.querySelector(`.field [name="${CSS.escape(field.name)}"]`)?.closest('.field');
    if (!labelled || field.type === 'file') continue;
    const copy = document.importNode(labelled, true);
    field.closest('.field')!.replaceWith(copy);
    copy.querySelector<HTMLInputElement | HTMLTextAreaElement>('[name]')!.value = field.value;
  }
  const wrong = form.querySelector<HTMLElement>('.field [aria-invalid]');
  wrong?.focus();
  const ofFiles = textsOf(answer, '[data-problems] [data-sentence]');
  if (ofFiles.length > 0 || wrong !== null) return { sentences: ofFiles, isExplained: true };
  // Another page than the form gives the reason.
  const whole = textsOf(answer, 'main h1, main h1 ~ p').join(' ');
  return { sentences: [whole], isExplained: whole !== '' };
}

function textsOf(answer: Document, selector: string): string[] {
  return [...answer.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? '').trim());
}
