"""Bundle adjustment, and a hand that is fitted to points, as in ADBench; the data are drawn."""

from __future__ import annotations

from typing import Any

from timing import np as numpy

from workloads import Workload, random


def turned(np: Any, rotation: Any, x: Any) -> Any:
    """Turn vectors, rows of x, by rotation vectors, by Rodrigues' formula."""
    angle = np.sqrt(np.sum(rotation * rotation, 1))
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    axis = rotation / angle[:, None]
    a, b, c = axis[:, 0], axis[:, 1], axis[:, 2]
    u, v, w = x[:, 0], x[:, 1], x[:, 2]
    across = np.stack([b * w - c * v, c * u - a * w, a * v - b * u], 1)
    return x * cosine + across * sine + axis * (np.sum(axis * x, 1)[:, None] * (1.0 - cosine))


def projected(np: Any, cameras: Any, points: Any) -> Any:
    """Return where cameras of 11 parameters see points: rotation, centre, focal length, principal point, distortion."""
    x = turned(np, cameras[:, :3], points - cameras[:, 3:6])
    plane = x[:, :2] / x[:, 2:]
    square = np.sum(plane * plane, 1)[:, None]
    bent = plane * (1.0 + cameras[:, 9:10] * square + cameras[:, 10:] * square * square)
    return bent * cameras[:, 6:7] + cameras[:, 7:9]


def bundle_adjustment(cameras: int, points: int, seen: int) -> Workload:
    """Differentiate the squares of two residuals an observation, and of one for its weight, as in ADBench."""
    rng = random()
    given = rng.normal(size=(cameras, 11)) * numpy.array([0.1] * 3 + [0.5] * 3 + [0.1] + [0.1] * 2 + [0.01] * 2)
    given[:, 5] -= 6.0
    given[:, 6] += 1.0
    of_camera, of_point = rng.integers(0, cameras, seen), rng.integers(0, points, seen)
    positions, weights = rng.normal(size=(points, 3)), 1.0 + 0.1 * rng.normal(size=seen)
    features = rng.normal(size=(seen, 2))

    def loss(np: Any, given: Any, positions: Any, weights: Any, features: Any, of_camera: Any, of_point: Any) -> Any:
        apart = weights[:, None] * (projected(np, given[of_camera], positions[of_point]) - features)
        return 0.5 * (np.sum(apart * apart) + np.sum((1.0 - weights * weights) ** 2))

    return Workload(loss, (given, positions, weights), (features, of_camera, of_point))


def hand_tracking(bones: int, vertices: int, seen: int) -> Workload:
    """Differentiate the distances of a skeleton's vertices from points by the angles of its joints, as in ADBench.

    A bone turns by three angles about its parent, and carries the vertices by weights; all are turned and shifted.
    """
    rng = random()
    parents = [max(0, k - 1 if k % 4 != 1 else 0) for k in range(bones)]
    offsets, weights = 0.3 * rng.normal(size=(bones, 3)), rng.uniform(size=(vertices, bones))
    weights /= numpy.sum(weights, axis=1, keepdims=True)
    vertex, targets = rng.normal(size=(vertices, 3)), rng.normal(size=(seen, 3))
    which = rng.integers(0, vertices, seen)
    angles = 0.2 * rng.normal(size=3 * (bones + 2))

    def rotations(np: Any, angles: Any) -> Any:
        c, s = np.cos(angles), np.sin(angles)
        c1, c2, c3, s1, s2, s3 = c[:, 0], c[:, 1], c[:, 2], s[:, 0], s[:, 1], s[:, 2]
        rows = [
            np.stack([c2 * c3, c3 * s1 * s2 - c1 * s3, s1 * s3 + c1 * c3 * s2], 1),
            np.stack([c2 * s3, c1 * c3 + s1 * s2 * s3, c1 * s2 * s3 - c3 * s1], 1),
            np.stack([0.0 * c1 - s2, c2 * s1, c1 * c2], 1),
        ]
        return np.stack(rows, 1)

    def residuals(np: Any, angles: Any, offsets: Any, weights: Any, vertex: Any, which: Any, targets: Any) -> Any:
        turns = rotations(np, angles[: 3 * (bones + 1)].reshape((bones + 1, 3)))
        frames, places = [turns[0]], [offsets[0]]
        for k in range(1, bones):
            parent = parents[k]
            places.append(places[parent] + frames[parent] @ offsets[k])
            frames.append(frames[parent] @ turns[k])
        posed = 0.0
        for k in range(bones):
            posed = posed + weights[:, k : k + 1] * (vertex @ frames[k].T + places[k])
        moved = posed @ turns[bones].T + angles[3 * (bones + 1) :]
        return (moved[which] - targets).reshape((-1,))

    constants = offsets, weights, vertex, which, targets
    return Workload(residuals, (angles,), constants, question="tall_jacobian")
