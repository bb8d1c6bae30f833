"""The data sets of the paper and scikit-learn's digits: official addresses, published checksums, sizes, class names."""

from functools import partial
from string import ascii_uppercase

from oneof.datasets.cifar import load_cifar10
from oneof.datasets.digits import load_digits
from oneof.datasets.idx import load_idx
from oneof.datasets.matlab import load_svhn
from oneof.datasets.registry import DatasetInfo, Download, SourceFile, downloads_of, register
from oneof.datasets.usps import load_usps

DIGITS = tuple("0123456789")
CLOTHES = (
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
)  # fmt: skip


def _files(*named: str) -> tuple[SourceFile, ...]:
    """Files, each given as "name checksum"."""
    return tuple(SourceFile(*text.split()) for text in named)


def _idx_files(*sums: str) -> tuple[SourceFile, ...]:
    """The four files of the MNIST family, given their MD5 sums."""
    names = (f"{part}-{what}-ubyte.gz" for part in ("train", "t10k") for what in ("images-idx3", "labels-idx1"))
    return tuple(SourceFile(name, f"md5:{md5}") for name, md5 in zip(names, sums, strict=True))


_MNIST = _idx_files(
    "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "d53e105ee54ea40749a09fcbcd1e9432",
    "9fb629c4189551a2d022fa330f9573f3",
    "ec29112dd5afa0611ce80d1b7f02629c",
)
_FASHIONMNIST = _idx_files(
    "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "25c81989df183df01b3e8a0aad5dffbe",
    "bef4ecab320f06d8554ea6380940ec79",
    "bb300cfdad3c16e7a12a480ee83cd310",
)
_KMNIST = _idx_files(
    "bdb82020997e1d708af4cf47b453dcf7",
    "e144d726b3acfaa3e44228e80efcd344",
    "5c965bf0a639b31b8f53240b1b52f4d7",
    "7320c461ea6c1c855c0b718fb2a4b134",
)
_USPS = _files(
    "zip.train.gz sha256:66ebf231ab51f2cf6ac1a892d0f98ccffee1079d7a5db638c1f11f366046ca16",
    "zip.test.gz sha256:8dacc3c6e136af6c3488de9e5113a7daf140c8c2f1f0b61c54ee02f03f1a962f",
)
_SVHN = _files(
    "train_32x32.mat md5:e26dedcc434d2e4c54c9b2d4a06d8373",
    "test_32x32.mat md5:eb5a983be6a315427106f1b164d9cef3",
)
_CIFAR10 = _files(
    "cifar-10-batches-bin/data_batch_1.bin md5:5dd7e06a14cb22eb9f671a540d1b7c25",
    "cifar-10-batches-bin/data_batch_2.bin md5:5ea93a67294ea407fff1d09f752e9692",
    "cifar-10-batches-bin/data_batch_3.bin md5:942cd6a4bcdd0dd3c604fbe906cb4421",
    "cifar-10-batches-bin/data_batch_4.bin md5:ae636b3ba5c66a11e91e8cb52e771fcb",
    "cifar-10-batches-bin/data_batch_5.bin md5:53f37980c15c3d472c316c40844f3f0d",
    "cifar-10-batches-bin/test_batch.bin md5:803d5f7f4d78ea53de84dbe85f74fb6d",
)
_EMNIST_LETTERS = _files(
    "emnist-letters-train-images-idx3-ubyte.gz sha256:6288f418a917e007bf5fddb823a2dc7a5c6a35031401b93292a539cb12bd881f",
    "emnist-letters-train-labels-idx1-ubyte.gz sha256:9759af91ea6bccdf07a6040fd085861f2ec88e37f7c3f5760f6feb57106fbe5c",
    "emnist-letters-test-images-idx3-ubyte.gz sha256:50f0e93d75b99b463e9760b8345866f22587fa2c2fba472730a5ba09c693412d",
    "emnist-letters-test-labels-idx1-ubyte.gz sha256:924955c31fe7fd809b7303b5c0141282955f4b8390c74cdfd5d80435e0f4b4cb",
)

_ENTRIES = (
    DatasetInfo(
        name="mnist",
        title="MNIST",
        homepage="http://yann.lecun.com/exdb/mnist/",
        sizes=(60000, 10000),
        paper_sizes=(60000, 10000),
        shape=(1, 28, 28),
        class_names=DIGITS,
        train=_MNIST[:2],
        test=_MNIST[2:],
        read_files=load_idx,
        downloads=downloads_of(
            _MNIST,
            (9912422, 28881, 1648877, 4542),
            "https://ossci-datasets.s3.amazonaws.com/mnist/",
            "http://yann.lecun.com/exdb/mnist/",
        ),
    ),
    DatasetInfo(
        name="fashionmnist",
        title="FashionMNIST",
        homepage="https://github.com/zalandoresearch/fashion-mnist",
        sizes=(60000, 10000),
        paper_sizes=(60000, 10000),
        shape=(1, 28, 28),
        class_names=CLOTHES,
        train=_FASHIONMNIST[:2],
        test=_FASHIONMNIST[2:],
        read_files=load_idx,
        downloads=downloads_of(
            _FASHIONMNIST,
            (26421880, 29515, 4422102, 5148),
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        ),
    ),
    DatasetInfo(
        name="kmnist",
        title="KMNIST",
        homepage="http://codh.rois.ac.jp/kmnist/",
        sizes=(60000, 10000),
        paper_sizes=(60000, 10000),
        shape=(1, 28, 28),
        class_names=("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"),
        train=_KMNIST[:2],
        test=_KMNIST[2:],
        read_files=load_idx,
        downloads=downloads_of(
            _KMNIST, (18165135, 29497, 3041136, 5120), "http://codh.rois.ac.jp/kmnist/dataset/kmnist/"
        ),
    ),
    DatasetInfo(
        name="usps",
        title="USPS",
        homepage="https://hastie.su.domains/ElemStatLearn/data.html",
        sizes=(7291, 2007),
        paper_sizes=(5000, 1000),
        shape=(1, 16, 16),
        class_names=DIGITS,
        train=_USPS[:1],
        test=_USPS[1:],
        read_files=load_usps,
        downloads=downloads_of(_USPS, (1829071, 439208), "https://hastie.su.domains/ElemStatLearn/datasets/"),
    ),
    DatasetInfo(
        name="svhn",
        title="SVHN",
        homepage="http://ufldl.stanford.edu/housenumbers/",
        sizes=(73257, 26032),
        paper_sizes=(50000, 10000),
        shape=(3, 32, 32),
        class_names=DIGITS,
        train=_SVHN[:1],
        test=_SVHN[1:],
        read_files=load_svhn,
        downloads=downloads_of(_SVHN, (182040794, 64275384), "http://ufldl.stanford.edu/housenumbers/"),
    ),
    DatasetInfo(
        name="cifar10",
        title="CIFAR-10",
        homepage="https://www.cs.toronto.edu/~kriz/cifar.html",
        sizes=(50000, 10000),
        paper_sizes=(50000, 10000),
        shape=(3, 32, 32),
        class_names=("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"),
        train=_CIFAR10[:5],
        test=_CIFAR10[5:],
        read_files=load_cifar10,
        downloads=(
            Download(
                "cifar-10-binary.tar.gz",
                ("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",),
                "md5:c32a1d4ab5d03f1284b67883e8d87530",
                170052171,
                {file.name: file.name for file in _CIFAR10},
            ),
        ),
    ),
    DatasetInfo(
        name="emnist_letters",
        title="EMNIST-Letters",
        homepage="https://www.nist.gov/itl/products-and-services/emnist-dataset",
        sizes=(124800, 20800),
        paper_sizes=(124800, 20800),
        shape=(1, 28, 28),
        class_names=tuple(ascii_uppercase),
        train=_EMNIST_LETTERS[:2],
        test=_EMNIST_LETTERS[2:],
        read_files=partial(load_idx, first_label=1, transposed=True),
        downloads=(
            Download(
                "gzip.zip",
                ("https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip",),
                "md5:58c8d27c78d21e728a6bc7b3cc06412e",
                561753746,
                {f"gzip/{file.name}": file.name for file in _EMNIST_LETTERS},
            ),
        ),
    ),
    DatasetInfo(
        name="digits",
        title="digits",
        homepage="https://scikit-learn.org/stable/modules/generated/sklearn.datasets.load_digits.html",
        sizes=(1347, 450),
        paper_sizes=(1347, 450),
        shape=(1, 8, 8),
        class_names=DIGITS,
        read=load_digits,
    ),
)

for _entry in _ENTRIES:
    register(_entry)
