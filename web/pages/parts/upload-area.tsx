// Contains the hidden markup that the script reveals, so that all texts and styles come from the server.
import type { ReactNode } from 'react';
import type { DropPage, ReceivedFile, RequestPage } from '../delivery-props.ts';
import type { ButtonVariant } from './button.tsx';
import { CardBody } from './card.tsx';
import { FieldError } from './field.tsx';
import { Say, useSize, useText } from './frame.tsx';
import { Icon } from './icon.tsx';
import { UploadTemplates } from './upload-templates.tsx';
import { FileName } from './user-text.tsx';

type Page = Pick<RequestPage | DropPage, 'upload' | 'limits' | 'received'>;

export function UploadArea({ page, errors }: { page: Page; errors: string[] }): ReactNode {
  const say = useText();
  const { upload, limits } = page;
  const ids = errors.map((_, index) => `files-error-${index}`);
  return (
    <CardBody>
      <div
        className="upload"
        data-upload={upload.url}
        data-state-url={upload.stateUrl}
        data-csrf={upload.csrf ?? undefined}
        data-first-upload-id={upload.firstUploadId ?? undefined}
        data-chunk-size={upload.chunkSizeBytes}
        data-max-total={limits.maxTotalBytes ?? undefined}
        data-max-files={limits.maxFiles ?? undefined}
        data-permitted={limits.permittedExtensions.join(' ')}
        data-blocked={limits.blockedExtensions.join(' ')}
      >
        <h2 id="files-heading">{say('upload.heading')}</h2>
        {page.received.length > 0 && <Received files={page.received} />}
        <PlainInputs formMaxBytes={limits.formMaxBytes} errorIds={ids} />
        <LiveArea />
        <div data-problems="">
          {errors.map((sentence, index) => (
            <FieldError id={`files-error-${index}`} sentence={sentence} key={sentence} />
          ))}
        </div>
        <UploadTemplates />
      </div>
    </CardBody>
  );
}

/** Enough without script. */
function PlainInputs({ formMaxBytes, errorIds }: { formMaxBytes: number; errorIds: string[] }): ReactNode {
  const say = useText();
  const sizeOf = useSize();
  const described = ['files-help', ...errorIds].join(' ');
  return (
    <div className="fields" data-plain="">
      <p id="files-help" className="help">
        {say('upload.plainHelp', { size: sizeOf(formMaxBytes) })}
      </p>
      <FileInput id="files" label={say('upload.choose')} described={described} isInvalid={errorIds.length > 0} />
      <FileInput id="files-2" label={say('upload.chooseMore')} described="files-help" />
      <FileInput id="files-3" label={say('upload.chooseEvenMore')} described="files-help" />
    </div>
  );
}

interface FileInputProps {
  id: string;
  label: string;
  described: string;
  isInvalid?: boolean;
}

function FileInput({ id, label, described, isInvalid }: FileInputProps): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        type="file"
        id={id}
        name="files"
        multiple
        aria-describedby={described}
        aria-invalid={isInvalid ? true : undefined}
      />
    </div>
  );
}

/** Files of an earlier attempt; unticking one removes it. */
function Received({ files }: { files: ReceivedFile[] }): ReactNode {
  const say = useText();
  const sizeOf = useSize();
  return (
    <fieldset className="received">
      <legend className="label">{say('upload.received', { n: files.length })}</legend>
      <ul>
        {files.map(({ id, name, sizeText }) => (
          <li className="checkbox" key={id}>
            <input type="checkbox" id={`attachment-${id}`} name="attachments" value={id} defaultChecked />
            <label htmlFor={`attachment-${id}`}>
              <Say
                k="upload.receivedFile"
                with={{ file: <FileName>{name}</FileName>, size: <bdi className="muted">{sizeOf(sizeText)}</bdi> }}
              />
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function LiveArea(): ReactNode {
  const say = useText();
  return (
    <div className="upload-live" data-live="" hidden>
      <section className="notice notice-info" data-restored="" hidden aria-label={say('upload.restoredLabel')}>
        <Icon name="info" />
        <div>
          <p>{say('upload.restored')}</p>
          <div data-missing="" hidden>
            <p data-missing-text="" />
            <ul data-missing-list="" />
          </div>
          <div className="actions">
            <ActionButton act="choose-again">{say('upload.chooseAgain')}</ActionButton>
            <ActionButton act="leave-out" variant="quiet">
              {say('upload.leaveOut')}
            </ActionButton>
            <ActionButton act="start-over" variant="quiet">
              {say('upload.startOver')}
            </ActionButton>
          </div>
        </div>
      </section>
      <div className="drop-zone">
        <Icon name="upload" />
        <p className="drop-hint">{say('upload.dropHere')}</p>
        <div className="actions">
          <ActionButton act="choose">{say('upload.chooseFiles')}</ActionButton>
          <ActionButton act="folder">{say('upload.chooseFolder')}</ActionButton>
        </div>
      </div>
      <section className="notice notice-warning" data-trouble="" hidden>
        <Icon name="warning" />
        <div>
          <p data-trouble-text="" />
          <div className="actions">
            <ActionButton act="resume-all">{say('upload.goOn')}</ActionButton>
          </div>
        </div>
      </section>
      <BatchHead />
      <ul className="upload-list" id="upload-list" aria-labelledby="files-heading" />
      <div className="upload-total" data-total="" hidden>
        <div>
          <p id="upload-total-text" className="number" data-total-text="" />
          <progress aria-labelledby="upload-total-text" max={1} value={0} data-total-bar="" />
        </div>
        <ActionButton act="pause-all">{say('upload.pauseAll')}</ActionButton>
      </div>
      <p className="drop-overlay" data-overlay="" hidden>
        {say('upload.dropToAdd')}
      </p>
    </div>
  );
}

/** From twenty files. */
function BatchHead(): ReactNode {
  const say = useText();
  return (
    <>
      <div className="batch" data-batch="" hidden>
        <p className="number" data-batch-text="" />
        <div className="actions">
          <button
            type="button"
            className="button button-quiet"
            data-act="show-all"
            aria-expanded={false}
            aria-controls="upload-list"
          >
            {say('upload.showAll')}
          </button>
          <ActionButton act="remove-all" variant="quiet">
            {say('upload.removeAll')}
          </ActionButton>
        </div>
      </div>
      <dialog className="ask" aria-labelledby="remove-all-ask" data-ask="">
        <h2 id="remove-all-ask" data-ask-text="">
          {say('upload.removeAll')}
        </h2>
        <p>{say('upload.removeAllText')}</p>
        <div className="actions">
          <ActionButton act="keep-all">{say('upload.keepAll')}</ActionButton>
          <ActionButton act="remove-all-now" variant="danger">
            {say('upload.removeAll')}
          </ActionButton>
        </div>
      </dialog>
    </>
  );
}

interface ActionButtonProps {
  act: string;
  variant?: ButtonVariant;
  children: ReactNode;
}

function ActionButton({ act, variant = 'secondary', children }: ActionButtonProps): ReactNode {
  return (
    <button type="button" className={`button button-${variant}`} data-act={act}>
      {children}
    </button>
  );
}
