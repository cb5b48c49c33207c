// The products of a layer's weights with its activations, row-major, whatever they multiply in.
#pragma once

template <class Element>
class Linear {
 public:
  virtual ~Linear() = default;

  // out[rows, outs] = in[rows, ins] * weight[outs, ins]^T + bias[outs], which may be null
  virtual void forward(const Element* in, const Element* weight, const Element* bias, Element* out,
                       int rows, int ins, int outs) = 0;
  // grad_in[rows, ins] = grad[rows, outs] * weight[outs, ins]
  virtual void grad_input(const Element* grad, const Element* weight, Element* grad_in, int rows,
                          int ins, int outs) = 0;
  // grad_weight[outs, ins] = grad[rows, outs]^T * in[rows, ins], plus what is there if `add`
  virtual void grad_weight(const Element* grad, const Element* in, Element* grad_weight, int rows,
                           int ins, int outs, bool add) = 0;
};
