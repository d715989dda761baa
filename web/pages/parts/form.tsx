import type { ReactNode } from 'react';
import type { PostForm } from '../props.ts';
import { useText } from './frame.tsx';
import { Icon } from './icon.tsx';

interface FormProps {
  form: PostForm;
  className?: string;
  isMultipart?: boolean;
  /** The response is a file and the page stays. */
  isDownload?: boolean;
  children: ReactNode;
}

/** Only the server validates, so that every browser shows the same errors. */
export function Form({ form, className, isMultipart, isDownload, children }: FormProps): ReactNode {
  return (
    <form
      method="post"
      action={form.action}
      encType={isMultipart ? 'multipart/form-data' : undefined}
      className={className}
      noValidate
      data-download={isDownload ? '' : undefined}
    >
      {form.csrf !== undefined && <input type="hidden" name="csrf" value={form.csrf} />}
      {Object.entries(form.hidden ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} key={name} />
      ))}
      {children}
    </form>
  );
}

/** Gets the focus when the page opens. Shows a sentence once. */
export function ErrorSummary({ errors: all }: { errors: { field: string; sentence: string }[] }): ReactNode {
  const say = useText();
  const errors = [...Map.groupBy(all, ({ sentence }) => sentence).values()].map(([first]) => first!);
  if (errors.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noAutofocus: a form that came back begins with what is wrong with it.
    <section className="notice notice-danger" aria-labelledby="errors" tabIndex={-1} autoFocus>
      <Icon name="alert" />
      <div>
        <h2 id="errors">{say('part.errorCount', { n: errors.length })}</h2>
        <ul>
          {errors.map((error) => (
            <li key={error.sentence}>
              <a href={`#${error.field}`}>{error.sentence}</a>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
