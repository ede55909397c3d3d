package ops

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCountPool gives batches to pools and expects them back in order, with the
// sizes that a single counter finds, from no more workers than there is work for.
func TestCountPool(t *testing.T) {
	tests := []struct {
		workers, batches int
		most             int // of the workers started
	}{
		{1, 1, 0},
		{1, 9, 0},
		{2, 1, 0},
		{4, 1, 0},
		{4, 2, 2},
		{4, 3, 3},
		{2, 9, 2},
		{4, 40, 4},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d batches for %d", tt.batches, tt.workers), func(t *testing.T) {
			p := newCountPool(tt.workers, newGauge(Budget{}), true)
			defer p.close()
			var got, want []sizes
			done := func(b *countBatch) error {
				got = append(got, b.records...)
				return nil
			}
			for i := range tt.batches {
				b := p.batch()
				for _, text := range []string{`{"n":1}`, fmt.Sprintf(`"batch %d é"`, i)} {
					b.text = append(b.text, text...)
					b.ends = append(b.ends, len(b.text))
					want = append(want, sizes{1, p.g.count([]byte(text)), int64(len([]rune(text))), int64(len(text))})
				}
				give := p.send
				if i == tt.batches-1 {
					give = p.finish
				}
				if err := give(b, done); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(sizes{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if p.workers > tt.most {
				t.Errorf("%d workers, want %d at most", p.workers, tt.most)
			}
		})
	}
}
