"""Random objects of three materials for training and tests: a body, dense parts in it, and cavities."""
import math

import numpy

LABELS = ("background", "body", "dense", "cavity")


def random_object(random):
    """Returns [(label, ellipsoid)], with ellipsoids as `vershina tomo phantom --object` reads them: density, half axes,
    centre, turn. Parts of the body do not overlap."""
    a, b = random.uniform(.5, .85, 2)
    x, y = random.uniform(-.1, .1, 2)
    turn = random.uniform(0, 180)
    found = [(1, (1, a, b, 1, x, y, 0, turn))]
    circles, c, s = [], math.cos(math.radians(turn)), math.sin(math.radians(turn))
    for label, num, low, high in ((2, random.integers(3, 8), .4, .7), (3, random.integers(2, 6), -.7, -.4)):
        for _ in range(num):
            p, q = random.uniform(.04, .2, 2)
            radius, angle = random.uniform(0, .75), random.uniform(0, 2 * math.pi)
            u, v = (a - max(p, q)) * radius * math.cos(angle), (b - max(p, q)) * radius * math.sin(angle)
            place = x + u * c - v * s, y + u * s + v * c, max(p, q) + .02
            density, tilt = random.uniform(low, high), random.uniform(0, 180)
            if all(math.dist(place[:2], other[:2]) > place[2] + other[2] for other in circles):
                circles.append(place)
                found.append((label, (density, p, q, 1, place[0], place[1], 0, tilt)))
    return found


def object_text(found):
    return "".join(" ".join(f"{number:.9g}" for number in ellipsoid) + "\n" for _, ellipsoid in found)


def true_mask(found, size):
    """The class of each pixel's middle."""
    place = (numpy.arange(size) - (size - 1) / 2) / (size / 2)
    px, py = place[None, :], -place[:, None]
    mask = numpy.zeros((size, size), numpy.uint8)
    for label, (_, a, b, _, x, y, _, turn) in found:
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        u, v = (px - x) * c + (py - y) * s, (py - y) * c - (px - x) * s
        mask[(u / a) ** 2 + (v / b) ** 2 <= 1] = label
    return mask


def dice(mask, truth, label):
    """Dice's coefficient of a class: 1 where both are the same."""
    return 2 * ((mask == label) & (truth == label)).sum() / ((mask == label).sum() + (truth == label).sum())
