// Checks a log of evidence with the transparency log packages of Go (golang.org/x/mod/sumdb), which are not ours: the
// signature on the checkpoint, every tile against its root, proofs of inclusion and consistency, and the entries. After
// a rotation of the key, give every key of the log: it does not matter which of them signed last.
//
//	apt-get install golang-go golang-golang-x-mod-dev
//	cd tools/verify/go && GO111MODULE=off GOPATH=/usr/share/gocode go run main.go DATA/evidence VERIFIER-KEY...
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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

func (f folder) Height() int                            { return 8 }
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

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: main FOLDER VERIFIER-KEY...")
		os.Exit(2)
	}
	dir := os.Args[1]
	var known []note.Verifier
	for _, vkey := range os.Args[2:] {
		verifier, err := note.NewVerifier(vkey)
		check(err)
		known = append(known, verifier)
	}
	signed, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
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
}
