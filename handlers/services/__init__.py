"""Services over the world that both the trees and the runner ask: no nodes, no HTTP."""
