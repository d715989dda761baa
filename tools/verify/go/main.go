// Checks a log of evidence with the transparency log packages of Go (golang.org/x/mod/sumdb), which are not ours: the
// signature on the checkpoint, every tile against its root, proofs of inclusion and consistency, and the entries. After
// a rotation of the key, give every key of the log: it does not matter which of them signed last.
//
// With the keys of witnesses and a checkpoint from `GET /evidence/checkpoint` it checks their Ed25519 cosignatures too. It
// cannot check ML-DSA-44, which the standard library of Go 1.19 does not have, and says so: verify.mjs can.
//
//	apt-get install golang-go golang-golang-x-mod-dev
//	cd tools/verify/go && GO111MODULE=off GOPATH=/usr/share/gocode go run main.go [-checkpoint FILE] DATA/evidence VERIFIER-KEY...
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "✗ %q\n", err.Error())
		os.Exit(1)
	}
}

// Tiles on disk have no height in their names: ours are always 8 high.
type folder string

func (f folder) Height() int                             { return 8 }
func (f folder) SaveTiles(tiles []tlog.Tile, _ [][]byte) {}
func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, t := range tiles {
		data, err := os.ReadFile(filepath.Join(string(f), strings.Replace(t.Path(), "tile/8/", "tile/", 1)))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

// Types of keys in c2sp.org/tlog-cosignature.
const (
	witnessEd25519 = 4
	witnessMLDSA44 = 6
)

type witness struct {
	name string
	hash uint32
	kind byte
	key  []byte
}

// Nil if it is the key of a log.
func parseWitness(vkey string) *witness {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return nil
	}
	bytes, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(bytes) < 33 || bytes[0] != witnessEd25519 && bytes[0] != witnessMLDSA44 {
		return nil
	}
	id := sha256.Sum256(append([]byte(parts[0]+"\n"), bytes...))
	hash := binary.BigEndian.Uint32(id[:])
	if fmt.Sprintf("%08x", hash) != parts[1] {
		check(fmt.Errorf("the key of the witness %s does not fit its id", parts[0]))
	}
	return &witness{parts[0], hash, bytes[0], bytes[1:]}
}

// Says of each witness whether it has signed the checkpoint, and of every other line that it is not checked.
func checkWitnesses(witnesses []*witness, opened *note.Note) {
	others := len(opened.UnverifiedSigs)
	for _, each := range witnesses {
		signed := "has not signed this checkpoint"
		for _, line := range opened.UnverifiedSigs {
			if line.Name != each.name || line.Hash != each.hash {
				continue
			}
			others--
			if each.kind == witnessMLDSA44 {
				signed = "not checked: this program has no ML-DSA-44; use verify.mjs"
				continue
			}
			raw, err := base64.StdEncoding.DecodeString(line.Base64)
			check(err)
			if len(raw) != 4+8+ed25519.SignatureSize || len(each.key) != ed25519.PublicKeySize {
				check(fmt.Errorf("the signature of the witness %s is malformed", each.name))
			}
			seconds := binary.BigEndian.Uint64(raw[4:])
			message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, opened.Text)
			if !ed25519.Verify(each.key, []byte(message), raw[12:]) {
				check(fmt.Errorf("the signature of the witness %s is wrong", each.name))
			}
			signed = "signed at " + time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
		}
		fmt.Printf("  witness %q (%08x): %s\n", each.name, each.hash, signed)
	}
	if others > 0 {
		fmt.Printf("  not checked: %d signatures by keys that were not given\n", others)
	}
}

func main() {
	path := flag.String("checkpoint", "", "a checkpoint with the signatures of witnesses")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: main [-checkpoint FILE] FOLDER VERIFIER-KEY...")
		os.Exit(2)
	}
	dir := flag.Arg(0)
	if *path == "" {
		*path = filepath.Join(dir, "checkpoint")
	}
	var known []note.Verifier
	var witnesses []*witness
	for _, vkey := range flag.Args()[1:] {
		if each := parseWitness(vkey); each != nil {
			witnesses = append(witnesses, each)
			continue
		}
		verifier, err := note.NewVerifier(vkey)
		check(err)
		known = append(known, verifier)
	}
	signed, err := os.ReadFile(*path)
	check(err)
	opened, err := note.Open(signed, note.VerifierList(known...))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != opened.Sigs[0].Name {
		check(fmt.Errorf("the checkpoint is one of another log, %s", lines[0]))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	raw, err := base64.StdEncoding.DecodeString(lines[2])
	check(err)
	var root tlog.Hash
	copy(root[:], raw)
	reader := tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, folder(dir))

	step := size/1000 + 1
	for i := int64(0); i < size; i += step {
		leaf, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, i)})
		check(err)
		proof, err := tlog.ProveRecord(size, i, reader)
		check(err)
		check(tlog.CheckRecord(proof, size, root, i, leaf[0]))
		old, err := tlog.TreeHash(i+1, reader)
		check(err)
		growth, err := tlog.ProveTree(size, i+1, reader)
		check(err)
		check(tlog.CheckTree(growth, size, root, i+1, old))
	}

	entries := int64(0)
	for n := int64(0); n*256 < size; n++ {
		tile := tlog.Tile{H: 8, L: 0, N: n, W: 256}
		if size-n*256 < 256 {
			tile.W = int(size - n*256)
		}
		data, err := os.ReadFile(filepath.Join(dir, strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)))
		check(err)
		for len(data) > 0 {
			end := 2 + int(binary.BigEndian.Uint16(data))
			leaf, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, entries)})
			check(err)
			if tlog.RecordHash(data[2:end]) != leaf[0] {
				check(fmt.Errorf("entry %d does not fit its hash", entries))
			}
			data = data[end:]
			entries++
		}
	}
	if entries != size {
		check(fmt.Errorf("%d entries in bundles, %d in the checkpoint", entries, size))
	}
	fmt.Printf("✓ %q: %d entries, signed by %q\n", lines[0], size, fmt.Sprintf("%s+%08x", opened.Sigs[0].Name, opened.Sigs[0].Hash))
	checkWitnesses(witnesses, opened)
}
