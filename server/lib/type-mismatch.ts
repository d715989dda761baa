// Compares the type that the name of a file declares with that of its bytes.
import { detectContentType, UNKNOWN_TYPE } from './content-type.ts';
import { extensionOf } from './file-name.ts';

const office = /^application\/(zip|x-cfb|msword|rtf|vnd\.(ms-|openxmlformats-|oasis\.))|^text\/rtf$/;
const text = /^text\/|^application\/(json|xml|javascript|x-ndjson|yaml|rtf)|^image\/svg|\+xml$/;
const programs =
  /^application\/(x-msdownload|x-elf|x-mach-binary|x-ms-installer|x-executable|vnd\.microsoft\.portable-executable|x-dosexec|x-sharedlib)/;

interface Family {
  extensions: string[];
  types: RegExp;
  /** Its files are recognised by their bytes; others may look like anything. */
  isRecognised: boolean;
}

const families: Family[] = [
  { extensions: ['pdf'], types: /^application\/pdf$/, isRecognised: true },
  {
    extensions: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'tif', 'tiff', 'heic', 'avif'],
    types: /^image\//,
    isRecognised: true,
  },
  {
    extensions: ['doc', 'xls', 'ppt', 'docx', 'xlsx', 'pptx', 'docm', 'xlsm', 'pptm', 'odt', 'ods', 'odp'],
    types: office,
    isRecognised: false,
  },
  { extensions: ['zip'], types: /^application\/(zip|java-archive|vnd\.|epub)/, isRecognised: true },
  {
    extensions: ['7z', 'rar', 'gz', 'tgz', 'xz', 'bz2'],
    types: /^application\/(x-|vnd\.rar|gzip)/,
    isRecognised: true,
  },
  { extensions: ['mp3', 'm4a', 'ogg', 'flac', 'wav'], types: /^(audio|video)\//, isRecognised: false },
  { extensions: ['mp4', 'mov', 'avi', 'mkv', 'webm'], types: /^(audio|video)\//, isRecognised: true },
  {
    extensions: ['txt', 'csv', 'md', 'json', 'xml', 'log', 'html', 'htm', 'css', 'ics'],
    types: text,
    isRecognised: false,
  },
];
const programNames = /^(exe|dll|sys|scr|com|msi|so|o|bin|elf|dylib|cpl|ocx|drv|efi|mui|node|pyd|run|appimage)$/;

/** `head`: its first bytes. An empty file has no type. */
export async function isTypeMismatch(fileName: string, declaredType: string, head: Buffer): Promise<boolean> {
  const extension = extensionOf(fileName);
  if (head.length === 0 || isLatePdf(extension, head)) return false;
  // Without the name, which may refine what was detected.
  const detected = await detectContentType(head, '');
  const declared = [familyOf(extension), familyOfType(declaredType)].filter((family) => family !== null);
  if (programs.test(detected)) return declared.length > 0 || !programNames.test(extension);
  if (detected === UNKNOWN_TYPE) return declared.some(({ isRecognised }) => isRecognised);
  return declared.some(({ types }) => !types.test(detected));
}

function familyOf(extension: string): Family | null {
  return families.find(({ extensions }) => extensions.includes(extension)) ?? null;
}

/** Types that a program declares wrongly by habit count as undeclared. */
function familyOfType(type: string): Family | null {
  return (
    families.find((family) => family.isRecognised && family.types.test(type) && /pdf$|^image|^video/.test(type)) ?? null
  );
}

/** Readers accept a PDF that begins a little later. */
function isLatePdf(extension: string, head: Buffer): boolean {
  return extension === 'pdf' && head.subarray(0, 1024).includes('%PDF-');
}
