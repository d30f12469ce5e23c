package import Flare

/// A spatial index of objects, for finding the nearest one and the first one around a point.
///
/// A balanced tree of bounding boxes: changes and queries take logarithmic time for any positions, sizes and
/// numbers of objects at one place. Among equals the object with the lowest order is returned.
package struct BoxTree: Sendable {
    private var nodes: [Node] = []
    private var root = Node.none
    /// The head of the list of free nodes, linked by their parents.
    private var free = Node.none
    private var leaves: [FlareID: Int] = [:]

    package init() {}

    /// Inserts an object, or moves it.
    ///
    /// A box without extent (a low corner beyond the high one, or NaN) is removed.
    package mutating func insert(_ id: FlareID, order: Int, from low: Point3D, to high: Point3D) {
        remove(id)
        guard low.x <= high.x, low.y <= high.y, low.z <= high.z else { return }
        let leaf = allocate(Node(low: low, high: high, order: order, id: id))
        leaves[id] = leaf
        insertLeaf(leaf)
    }

    package mutating func remove(_ id: FlareID) {
        guard let leaf = leaves.removeValue(forKey: id) else { return }
        let parent = nodes[leaf].parent
        release(leaf)
        guard parent != Node.none else {
            root = Node.none
            return
        }
        let sibling = nodes[parent].left == leaf ? nodes[parent].right : nodes[parent].left
        let grandparent = nodes[parent].parent
        release(parent)
        replace(parent, with: sibling, below: grandparent)
        refit(from: grandparent)
    }
}

// MARK: - Queries

extension BoxTree {
    /// The nearest object whose distance is below the limit, and that distance.
    package func nearest(to point: Point3D, within limit: Double) -> (id: FlareID, distance: Double)? {
        var visits = 0
        return nearest(to: point, within: limit, visits: &visits)
    }

    /// The same, counting the visited boxes.
    package func nearest(
        to point: Point3D,
        within limit: Double,
        visits: inout Int
    ) -> (id: FlareID, distance: Double)? {
        nearest(Search(point: point, isInPlane: false, isIncluded: { _ in true }), within: limit, &visits)
    }

    /// The nearest object as seen from above, of those that are included.
    package func nearest(
        inPlane point: Point3D,
        within limit: Double,
        where isIncluded: (FlareID) -> Bool
    ) -> (id: FlareID, distance: Double)? {
        var visits = 0
        return withoutActuallyEscaping(isIncluded) {
            nearest(Search(point: point, isInPlane: true, isIncluded: $0), within: limit, &visits)
        }
    }

    private func nearest(_ search: Search, within limit: Double, _ visits: inout Int)
        -> (id: FlareID, distance: Double)?
    {
        guard root != Node.none, search.point.isFinite else { return nil }
        // No order is lower than the least integer, so an object exactly at the limit is excluded.
        var best = Candidate(distance: limit, order: .min, id: nil)
        self.search(root, search.distance(to: nodes[root]), search, &best, &visits)
        return best.id.map { ($0, best.distance) }
    }

    private struct Search {
        let point: Point3D
        /// Whether only x and y count.
        let isInPlane: Bool
        let isIncluded: (FlareID) -> Bool

        func distance(to node: Node) -> Double {
            isInPlane ? node.planeDistance(to: point) : node.distance(to: point)
        }
    }

    /// The object with the lowest order whose box contains the point, borders included.
    package func first(containing point: Point3D) -> FlareID? {
        guard root != Node.none, point.isFinite else { return nil }
        var best = Candidate(distance: 0, order: .max, id: nil)
        search(root, point, &best)
        return best.id
    }

    /// All objects whose boxes contain the point, borders included, in no particular order.
    package func all(containing point: Point3D) -> [FlareID] {
        guard root != Node.none, point.isFinite else { return [] }
        var found: [FlareID] = []
        var rest = [root]
        while let index = rest.popLast() {
            let node = nodes[index]
            guard node.contains(point) else { continue }
            if node.isLeaf { found.append(node.id) } else { rest += [node.left, node.right] }
        }
        return found
    }

    private struct Candidate {
        var distance: Double
        var order: Int
        var id: FlareID?

        func yields(to distance: Double, _ order: Int) -> Bool {
            distance < self.distance || distance == self.distance && order < self.order
        }
    }

    private func search(
        _ index: Int,
        _ distance: Double,
        _ search: Search,
        _ best: inout Candidate,
        _ visits: inout Int
    ) {
        let node = nodes[index]
        visits += 1
        guard best.yields(to: distance, node.order) else { return }
        guard !node.isLeaf else {
            guard search.isIncluded(node.id) else { return }
            best = Candidate(distance: distance, order: node.order, id: node.id)
            return
        }
        let (left, right) = (nodes[node.left], nodes[node.right])
        let (leftDistance, rightDistance) = (search.distance(to: left), search.distance(to: right))
        if (leftDistance, left.order) < (rightDistance, right.order) {
            self.search(node.left, leftDistance, search, &best, &visits)
            self.search(node.right, rightDistance, search, &best, &visits)
        } else {
            self.search(node.right, rightDistance, search, &best, &visits)
            self.search(node.left, leftDistance, search, &best, &visits)
        }
    }

    private func search(_ index: Int, _ point: Point3D, _ best: inout Candidate) {
        let node = nodes[index]
        guard node.order < best.order, node.contains(point) else { return }
        guard !node.isLeaf else {
            best = Candidate(distance: 0, order: node.order, id: node.id)
            return
        }
        let leftFirst = nodes[node.left].order < nodes[node.right].order
        search(leftFirst ? node.left : node.right, point, &best)
        search(leftFirst ? node.right : node.left, point, &best)
    }
}

// MARK: - Changes

extension BoxTree {
    private mutating func insertLeaf(_ leaf: Int) {
        guard root != Node.none else {
            root = leaf
            return
        }
        let sibling = bestSibling(of: nodes[leaf])
        let grandparent = nodes[sibling].parent
        // It is measured below.
        let nobody = FlareID(high: 0, low: 0)
        let parent = allocate(
            Node(low: .zero, high: .zero, order: 0, id: nobody, left: sibling, right: leaf)
        )
        replace(sibling, with: parent, below: grandparent)
        nodes[sibling].parent = parent
        nodes[leaf].parent = parent
        refit(from: parent)
    }

    /// The position at which a new leaf enlarges the boxes least.
    private func bestSibling(of leaf: Node) -> Int {
        var index = root
        while !nodes[index].isLeaf {
            let node = nodes[index]
            let joined = node.extent(with: leaf)
            let inherited = joined - node.extent
            let left = cost(of: leaf, at: node.left) + inherited
            let right = cost(of: leaf, at: node.right) + inherited
            if joined < left, joined < right { break }
            index = left < right ? node.left : node.right
        }
        return index
    }

    private func cost(of leaf: Node, at index: Int) -> Double {
        let node = nodes[index]
        return node.isLeaf ? node.extent(with: leaf) : node.extent(with: leaf) - node.extent
    }

    /// Replaces a node by another.
    private mutating func replace(_ old: Int, with new: Int, below parent: Int) {
        nodes[new].parent = parent
        if parent == Node.none {
            root = new
        } else if nodes[parent].left == old {
            nodes[parent].left = new
        } else {
            nodes[parent].right = new
        }
    }

    /// Rebalances and remeasures a node and its ancestors.
    private mutating func refit(from start: Int) {
        var index = start
        while index != Node.none {
            index = balance(index)
            measure(index)
            index = nodes[index].parent
        }
    }

    private mutating func measure(_ index: Int) {
        let (left, right) = (nodes[nodes[index].left], nodes[nodes[index].right])
        nodes[index].measure(left, right)
    }

    /// Rotates the higher child up when the children's heights differ by more than one.
    /// - Returns: The node that takes this node's position.
    private mutating func balance(_ index: Int) -> Int {
        let node = nodes[index]
        let difference = nodes[node.right].height - nodes[node.left].height
        guard abs(difference) > 1 else { return index }
        let rising = difference > 0 ? node.right : node.left
        let (first, second) = (nodes[rising].left, nodes[rising].right)
        // The higher grandchild stays with the rising child, the other moves to the sinking node.
        let staysFirst = nodes[first].height > nodes[second].height
        let (staying, going) = staysFirst ? (first, second) : (second, first)
        replace(index, with: rising, below: node.parent)
        nodes[rising].left = index
        nodes[rising].right = staying
        nodes[index].parent = rising
        if difference > 0 { nodes[index].right = going } else { nodes[index].left = going }
        nodes[going].parent = index
        measure(index)
        return rising
    }

    private mutating func allocate(_ node: Node) -> Int {
        guard free != Node.none else {
            nodes.append(node)
            return nodes.count - 1
        }
        let index = free
        free = nodes[index].parent
        nodes[index] = node
        return index
    }

    private mutating func release(_ index: Int) {
        nodes[index].parent = free
        free = index
    }
}

/// An object, or the box around two nodes.
private struct Node: Sendable {
    static let none = -1

    var low: Point3D
    var high: Point3D
    /// The lowest order below it.
    var order: Int
    var id: FlareID
    var parent = none
    var left = none
    var right = none
    var height = 0

    var isLeaf: Bool { left == Self.none }

    mutating func measure(_ left: Node, _ right: Node) {
        low = lowest(left.low, right.low)
        high = highest(left.high, right.high)
        order = min(left.order, right.order)
        height = 1 + max(left.height, right.height)
    }

    var extent: Double { extent(low, high) }

    func extent(with other: Node) -> Double {
        extent(lowest(low, other.low), highest(high, other.high))
    }

    func contains(_ point: Point3D) -> Bool {
        point.x >= low.x && point.x <= high.x && point.y >= low.y && point.y <= high.y
            && point.z >= low.z && point.z <= high.z
    }

    /// The distance to the nearest point of the box; computed like `Point3D.distance`, so that rounding never
    /// makes it larger than the distance to an object inside.
    func distance(to point: Point3D) -> Double { offset(of: point).distance(to: .zero) }

    /// The same as seen from above.
    func planeDistance(to point: Point3D) -> Double { offset(of: point).planeDistance(to: .zero) }

    private func offset(of point: Point3D) -> Point3D {
        Point3D(
            x: max(0, max(low.x - point.x, point.x - high.x)),
            y: max(0, max(low.y - point.y, point.y - high.y)),
            z: max(0, max(low.z - point.z, point.z - high.z))
        )
    }

    private func extent(_ low: Point3D, _ high: Point3D) -> Double {
        (high.x - low.x) + (high.y - low.y) + (high.z - low.z)
    }

    private func lowest(_ a: Point3D, _ b: Point3D) -> Point3D {
        Point3D(x: min(a.x, b.x), y: min(a.y, b.y), z: min(a.z, b.z))
    }

    private func highest(_ a: Point3D, _ b: Point3D) -> Point3D {
        Point3D(x: max(a.x, b.x), y: max(a.y, b.y), z: max(a.z, b.z))
    }
}
