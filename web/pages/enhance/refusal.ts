// A form that the server refused: its answer is the page a visitor without script would see. What is wrong is taken over
// from it, field by field, and everything else stays as it is, with all that was added.

/** Shows what is wrong with fields, and gives the sentences about the files or about the whole. */
export function showRefusal(form: HTMLFormElement, html: string): { sentences: string[]; isExplained: boolean } {
  const answer = new DOMParser().parseFromString(html, 'text/html');
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('.field [name]')) {
    const told = answer.querySelector(`.field [name="${CSS.escape(field.name)}"]`)?.closest('.field');
    if (!told || field.type === 'file') continue;
    const copy = document.importNode(told, true);
    field.closest('.field')!.replaceWith(copy);
    copy.querySelector<HTMLInputElement | HTMLTextAreaElement>('[name]')!.value = field.value;
  }
  const wrong = form.querySelector<HTMLElement>('.field [aria-invalid]');
  wrong?.focus();
  const ofFiles = textsOf(answer, '[data-problems] [data-sentence]');
  if (ofFiles.length > 0 || wrong !== null) return { sentences: ofFiles, isExplained: true };
  // Not this form any more: closed, used up, gone. Its page says why.
  const whole = textsOf(answer, 'main h1, main h1 ~ p').join(' ');
  return { sentences: [whole], isExplained: whole !== '' };
}

function textsOf(answer: Document, selector: string): string[] {
  return [...answer.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? '').trim());
}
