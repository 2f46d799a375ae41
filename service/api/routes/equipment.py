"""What the table runs on: for the floor, which compares its tables."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.api.deps import AskedTableDep
from service.api.equipment import equipment
from service.api.errors import problems
from service.api.permissions import requires
from service.record.health import EquipmentOut

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/equipment", dependencies=[requires(Permission.HEALTH)], responses=problems(404, 422))
def get_equipment(table: AskedTableDep) -> EquipmentOut:
    """Of a table: version, models, settings, calibration, machine and the rate of verified hands."""
    return EquipmentOut.model_validate(equipment(table))
