// Which words of the vocabulary a rank has the embeddings and logits of.
#pragma once

struct Words {
  int first = 0;
  int count = 0;
};
